"use strict";
(() => {
  const root = document.documentElement;
  const theme = document.getElementById("theme");
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  // A link to a rule opens what hides its text.
  const open = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const closed = target && target.closest("details");
    if (closed && !closed.open) { closed.open = true; target.scrollIntoView(); }
  };
  addEventListener("hashchange", open);
  open();

  const form = document.getElementById("filters");
  if (!form) return;
  form.hidden = false;
  const findings = [...document.querySelectorAll("article.finding")];
  const links = new Map([...document.querySelectorAll("nav li a")].map((link) => [decodeURIComponent(link.hash.slice(1)), link]));
  const files = [...document.querySelectorAll("nav .file")];
  const nothing = document.querySelector(".nothing");
  const shown = document.querySelector(".shown");

  const filter = () => {
    const checked = (name) => new Set([...form.querySelectorAll(`input[name="${name}"]:checked`)].map((box) => box.value));
    const rules = checked("rule"), confidences = checked("confidence");
    const path = form.elements.path.value.trim().toLowerCase();
    let count = 0;
    for (const one of findings) {
      const { rule, confidence } = one.dataset;
      const passes = rules.has(rule) && confidences.has(confidence) && one.dataset.path.toLowerCase().includes(path);
      one.hidden = !passes;
      links.get(one.id).parentElement.hidden = !passes;
      count += passes;
    }
    for (const file of files) file.hidden = !file.querySelector("li:not([hidden])");
    nothing.hidden = count > 0;
    shown.textContent = `${count} of ${findings.length} shown`;
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  // A browser that goes back to the page fills the form in again.
  addEventListener("pageshow", filter);
  filter();
})();
