"""Draw a blind random sample of default findings over packages, to be judged from the code and the claim alone.

    python benchmarks/sample.py --seed COMMIT [--n 60] [--rule CTX101] FINDINGS.json [FINDINGS.json ...]

FINDINGS.json is what `ctxlint check --output-format json` prints. The seed is a text (the commit that was measured), so that the
same commit draws the same sample on every machine.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import random


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("findings", nargs="+", type=pathlib.Path)
    parser.add_argument("--seed", required=True)
    parser.add_argument("--n", type=int, default=60)
    parser.add_argument("--rule", default="", help="rules or prefixes: CTX101,CTX2")
    parser.add_argument("--confidence", default="high,medium")
    arguments = parser.parse_args()
    found = [finding for file in arguments.findings for finding in json.loads(file.read_text())]
    found = [finding for finding in found if finding["confidence"] in arguments.confidence.split(",")
             and finding["code"].startswith(tuple(arguments.rule.split(",")))]
    found.sort(key=lambda finding: (finding["code"], finding["fingerprint"], finding["location"]["row"]))
    drawn = random.Random(arguments.seed).sample(found, min(arguments.n, len(found)))
    for number, finding in enumerate(drawn, 1):
        print(f"{number}. {finding['filename']}:{finding['location']['row']} {finding['symbol']}: {finding['code']} {finding['message']}")
        for step in finding["flow"]:
            print(f"     {json.dumps(step)}")
        print(f"     {finding['scenario']}\n     {'; '.join(finding['evidence'])}")
    print(f"{len(drawn)} of {len(found)} findings, seed {arguments.seed}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
