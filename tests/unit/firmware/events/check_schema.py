# SPDX-License-Identifier: Apache-2.0
"""check_schema.py SCHEMA PROGRAM: whether every line PROGRAM prints obeys SCHEMA, and SCHEMA its own rules."""
import copy
import json
import subprocess
import sys

import jsonschema


def main() -> int:
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    judge = jsonschema.Draft202012Validator
    judge.check_schema(schema)
    judge = judge(schema)
    output = subprocess.run([sys.argv[2]], check=True, stdout=subprocess.PIPE).stdout.decode("utf-8")
    lines = [json.loads(line) for line in output.splitlines()]
    bad = 0
    for line in lines:
        for error in judge.iter_errors(line):
            bad += 1
            print(f"{json.dumps(line)}: {error.message}")
    # A schema that allows everything would pass as well: each line must be refused once it is spoilt.
    for line in lines:
        for key in line:
            bad += accepts(judge, line, lambda spoilt: spoilt.pop(key), f"without {key}")
        for key in line["data"]:
            bad += accepts(judge, line, lambda spoilt: spoilt["data"].pop(key), f"without data.{key}")
        bad += accepts(judge, line, lambda spoilt: spoilt["data"].update(extra=1), "with a field too many")
        bad += accepts(judge, line, lambda spoilt: spoilt.update(kind="nonsense"), "of an unknown kind")
    missing = set(schema["properties"]["kind"]["enum"]) - {line["kind"] for line in lines}
    if missing:
        print("no sample of", missing)
    print(f"{len(lines)} lines, {bad} faults")
    return 1 if bad or missing or not lines else 0


def accepts(judge, line, spoil, how) -> int:
    spoilt = copy.deepcopy(line)
    spoil(spoilt)
    if not judge.is_valid(spoilt):
        return 0
    print(f"accepted {how}: {json.dumps(spoilt)}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
