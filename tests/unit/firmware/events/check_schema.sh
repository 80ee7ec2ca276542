#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_schema.sh PYTHON SCHEMA PROGRAM: whether every line PROGRAM prints obeys SCHEMA, by python's jsonschema.
# 77 where neither PYTHON nor the system's python3 has it.
for python in "$1" python3; do
  if "$python" -c 'import jsonschema' 2>/dev/null; then
    exec "$python" "$(dirname "$0")/check_schema.py" "$2" "$3"
  fi
done
echo "skipped: python's jsonschema is not installed"
exit 77
