#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds kerbwatch.dbc and the C++ codec against each other, with cantools as the judge.

usage: check_with_cantools.py FILE.dbc LAYOUT.toml,LAYOUT.toml COMMAND...    (COMMAND runs can_vectors)

What C++ encodes, cantools must decode to the same values (rounded to the signal's step, saturated at its range), and
what cantools encodes, C++ must decode. The CRC is computed here bit by bit from the DataID in the .dbc. Exits 77
when there is no cantools, neither for this Python nor in .deps/venv.
"""
import json
import math
import os
import random
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), *[".."] * 4))
VENV_PYTHON = os.path.join(ROOT, ".deps", "venv", "bin", "python")

try:
    import cantools
except ImportError:
    if os.access(VENV_PYTHON, os.X_OK) and "KERB_IN_VENV" not in os.environ:
        os.environ["KERB_IN_VENV"] = "1"
        os.execv(VENV_PYTHON, [VENV_PYTHON, *sys.argv])
    print("skipped: no cantools (pip install cantools)")
    sys.exit(77)

ROUNDS_ENCODED = 150  # each has one of every message, and an object list of up to 30
ROUNDS_DECODED = 300  # each has one of every message
ROUNDS_OF_LAYOUTS = 1000  # each has one of every message of a layout
SEED = 20240607
OPTIONAL = ("VEH_Steering", "VEH_LampBrightness", "VEH_SoundVolume")
failures = 0


def fail(text):
    global failures
    failures += 1
    if failures <= 20:
        print("FAIL", text)


def crc8(data, start):
    """Polynomial 0x1D, bit by bit: shares no code and no table with crc8.hpp."""
    crc = start
    for byte in data:
        for bit in range(7, -1, -1):
            top = (crc >> 7) & 1
            crc = (crc << 1) & 0xFF
            if top ^ ((byte >> bit) & 1):
                crc ^= 0x1D
    return crc


def crc8_j1850(data):
    return crc8(data, 0xFF) ^ 0xFF


def message_crc(message, data):
    data_id = message.dbc.attributes["DataID"].value
    return crc8_j1850(bytes([data_id & 0xFF, data_id >> 8]) + bytes(data[1:]))


def not_available(signal):
    return -(1 << signal.length - 1) if signal.is_signed else (1 << signal.length) - 1


def raw_range(signal):
    """The numbers a sender may use: the range the .dbc states."""
    raw = [(limit - signal.offset) / signal.scale for limit in (signal.minimum, signal.maximum)]
    return round(min(raw)), round(max(raw))


def check_encoder(db, command):
    count = 0
    output = subprocess.run(command + ["encode", str(ROUNDS_ENCODED), str(SEED)], check=True, capture_output=True).stdout
    for line in output.decode().splitlines():
        case = json.loads(line)
        count += 1
        message = db.get_message_by_name(case["message"])
        data = bytes.fromhex(case["data"])
        place = f"{case['message']} {case['data']}"
        if message.frame_id != case["id"] or message.length != len(data):
            fail(f"{place}: id or length")
            continue
        decoded = message.decode(data, decode_choices=False)
        raw = message.decode(data, decode_choices=False, scaling=False)
        crc = next(name for name in decoded if name.endswith("_CRC"))
        if decoded[crc] != message_crc(message, data):
            fail(f"{place}: CRC {decoded[crc]:#x}, must be {message_crc(message, data):#x}")
        # Everything but what the messages in C++ do not spell out.
        implied = {crc, "VEH_SpeedValid", "VEH_YawRateValid", "VEH_SteeringValid", "KW_ServiceMagic"}
        if set(decoded) - implied != set(case["signals"]):
            fail(f"{place}: signals {sorted(set(decoded) ^ set(case['signals']))}")
        for name, value in case["signals"].items():
            signal = message.get_signal_by_name(name)
            if value is None:
                # What is optional: without it its bits are 0, as in the first version of the message.
                if raw[name] != (0 if name in OPTIONAL else not_available(signal)):
                    fail(f"{place}: {name} is {decoded[name]}, must be 'not available'")
                continue
            if not signal.choices:  # the others have numbers past [min|max] of their own
                value = min(max(value, signal.minimum), signal.maximum)
            if abs(decoded[name] - value) > signal.scale / 2 + 1e-9:
                fail(f"{place}: {name} is {decoded[name]}, must be {value}")
        if case["message"] == "VEH_Motion":
            for name in ("VEH_Speed", "VEH_YawRate", "VEH_Steering"):
                flag = name + "Valid"
                if decoded[flag] != (case["signals"][name] is not None):
                    fail(f"{place}: {flag}")
        if case["message"] == "KW_Service" and decoded["KW_ServiceMagic"] != 0x574B:
            fail(f"{place}: magic")
    return count


def random_raw(rng, signal):
    low = -(1 << signal.length - 1) if signal.is_signed else 0
    high = low + (1 << signal.length) - 1
    kind = rng.randrange(6)
    if kind == 0:
        return rng.choice([low, high])
    if kind == 1:
        return rng.choice(raw_range(signal))
    return rng.randint(low, high)


def check_decoder(db, command):
    rng = random.Random(SEED)
    cases = []
    for _ in range(ROUNDS_DECODED):
        for message in db.messages:
            part = rng.randrange(2)
            raw = {}
            for signal in message.signals:
                if signal.multiplexer_ids and part not in signal.multiplexer_ids:
                    continue
                raw[signal.name] = random_raw(rng, signal)
            if message.name == "KW_Objects":
                raw["KW_ObjectPart"] = part
            if message.name == "KW_Service" and rng.randrange(4):
                raw["KW_ServiceMagic"] = 0x574B
            data = bytearray(message.encode(raw, scaling=False, strict=False))
            data[0] = message_crc(message, data)
            broken = rng.randrange(10) == 0
            if broken:
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            cases.append((message, raw, bytes(data), broken))
    lines = "".join(json.dumps({"message": m.name, "data": d.hex()}) + "\n" for m, _, d, _ in cases)
    output = subprocess.run(command + ["decode"], input=lines.encode(), check=True, capture_output=True).stdout
    results = output.decode().splitlines()
    if len(results) != len(cases):
        fail(f"{len(results)} answers for {len(cases)} messages")
    for (message, raw, data, broken), line in zip(cases, results):
        got = json.loads(line)
        place = f"{message.name} {data.hex()}"
        if broken:
            if got.get("error") != "damaged":
                fail(f"{place}: a flipped bit was not noticed")
            continue
        if message.name == "KW_Service":
            refused = (raw["KW_ServiceMagic"] != 0x574B or raw["KW_ServiceRequest"] > 3 or
                       raw["KW_ServiceLevel"] > 2 or raw["KW_ServiceDuration"] == 255)
            if refused != ("error" in got):
                fail(f"{place}: {got}")
            if refused:
                continue
        if message.name == "KW_Objects":
            refused = raw["KW_ObjectIndex"] >= max(raw["KW_ObjectCount"], 1)
            if refused != ("error" in got):
                fail(f"{place}: {got}")
            if refused:
                continue
        if "signals" not in got:
            fail(f"{place}: {got}")
            continue
        physical = message.decode(data, decode_choices=False)
        for name, value in got["signals"].items():
            signal = message.get_signal_by_name(name)
            expected = physical[name]
            low, high = raw_range(signal)
            nullable = name not in ("KW_ObjectId",) and not signal.choices
            if nullable and not low <= raw[name] <= high and name != "KW_ObjectIndex":
                expected = None
            if name + "Valid" in physical and not physical[name + "Valid"]:
                expected = None
            if name == "KW_CauseCamera":
                cause = db.get_message_by_name("KW_Status").get_signal_by_name("KW_Cause").choices.get(raw["KW_Cause"])
                of_camera = cause is not None and (str(cause).startswith("camera_") or str(cause) in (
                    "bands_missing", "flow_missing",
                    "frames_dropped", "over_budget", "vision_failed", "vision_stalled"))
                expected = expected if of_camera else 0
            if (value is None) != (expected is None) or (value is not None and abs(value - expected) > 1e-9):
                fail(f"{place}: {name} is {value}, must be {expected}")
    return len(cases)


def numbers_of(text):
    return [int(number) for number in text.split(",")] if text else []


TURNS = {"off": 0, "left": 1, "right": 2, "hazard": 3, "none": None}
GEARS = {"park": 0, "reverse": 1, "neutral": 2, "drive": 3, "none": None}
UNITS = {"m/s": 1, "km/h": 1 / 3.6, "mph": 0.44704, "rad": 1, "rad/s": 1, "deg": math.pi / 180, "deg/s": math.pi / 180}


try:
    import tomllib
except ImportError:  # before Python 3.11
    tomllib = None


class Layout:
    """What a layout file says, read without any of Kerbwatch's code; the DBC file by cantools."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.keys = tomllib.load(file)["can"]["layout"]
        self.db = cantools.database.load_file(os.path.join(os.path.dirname(path), self.keys["dbc"]), strict=True)
        self.protection = {table["name"]: table for table in self.keys["message"]}
        self.messages = [self.db.get_message_by_name(name) for name in self.protection]

    def checksum(self, message, data):
        """What the message's checksum must be, and the byte that it is in; nothing where it has none."""
        table = self.protection[message.name]
        if table["checksum"] == "none":
            return None
        signal = message.get_signal_by_name(table["checksum_signal"])
        place = signal.start // 8
        rest = bytes(data[:place]) + bytes(data[place + 1:])
        if "data_id" in table:
            rest = bytes([table["data_id"] & 0xFF, table["data_id"] >> 8]) + rest
        if table["checksum"] == "xor":
            total = 0
            for byte in rest:
                total ^= byte
            return total, place
        start = 0xFF if table["checksum"] == "crc8-j1850" else 0
        return crc8(rest, start) ^ start, place

    def values(self, message, data):
        """What C++ must make of the message: "damaged", or its values."""
        raw = message.decode(data, decode_choices=False, scaling=False)
        physical = message.decode(data, decode_choices=False)
        table = self.protection[message.name]
        out = {}
        if table.get("counter"):
            out["counter"] = raw[table["counter"]]
            bits = message.get_signal_by_name(table["counter"]).length
            if out["counter"] >= table.get("counter_values", 1 << bits):
                return "damaged"

        def here(key):
            named, _, signal = self.keys.get(key, "").partition(".")
            return signal if named == message.name else None

        for key, negative in (("speed", "speed_backwards"), ("yaw_rate", "yaw_rate_right"), ("steering", "steering_right")):
            name = here(key)
            if not name:
                continue
            signal = message.get_signal_by_name(name)
            low, high = raw_range(signal)
            if here(key + "_valid") and not raw[here(key + "_valid")] or not low <= raw[name] <= high:
                out[key] = None
                continue
            value = physical[name] * UNITS[self.keys.get(key + "_unit", "rad")] if key + "_unit" in self.keys else physical[name]
            value /= self.keys.get(key + "_ratio", 1)
            if self.keys.get(key + "_positive") == "right":
                value = -value
            if here(negative) and raw[here(negative)]:
                value = -value
            out[key] = value
        for key, meanings in (("turn_signal", TURNS), ("gear", GEARS)):
            name = here(key)
            if not name:
                continue
            out[key] = {"number": raw[name], "defined": False}
            for word, number in meanings.items():
                if raw[name] in numbers_of(self.keys.get(f"{key}_{word}", "")):
                    out[key] = {"number": number, "defined": True}
        if here("left_indicator"):
            left, right = raw[here("left_indicator")] != 0, raw[here("right_indicator")] != 0
            out["turn_signal"] = {"number": (1 if left else 0) + (2 if right else 0), "defined": True}
        for key in ("lamp_brightness", "sound_volume"):
            name = here(key)
            if name:
                signal = message.get_signal_by_name(name)
                low, high = raw_range(signal)
                share = (physical[name] - signal.minimum) / (signal.maximum - signal.minimum)
                out[key] = share if low <= raw[name] <= high else None
        for key in ("off_button", "confirm_button"):
            if here(key):
                out[key] = raw[here(key)] != 0
        return out


def same(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if a is None or b is None or isinstance(a, bool) or isinstance(b, bool) or isinstance(a, str):
        return a == b
    return abs(a - b) <= 1e-9


def check_layout(path, command):
    rng = random.Random(SEED)
    layout = Layout(path)
    cases = []
    for _ in range(ROUNDS_OF_LAYOUTS):
        for message in layout.messages:
            data = bytearray(rng.randrange(256) for _ in range(message.length))
            checksum = layout.checksum(message, data)
            broken = False
            if checksum:
                broken = rng.randrange(10) == 0
                data[checksum[1]] = checksum[0] ^ (1 << rng.randrange(8) if broken else 0)
            cases.append((message, bytes(data), "damaged" if broken else layout.values(message, data)))
    lines = "".join(json.dumps({"id": m.frame_id, "extended": m.is_extended_frame, "data": d.hex()}) + "\n"
                    for m, d, _ in cases)
    output = subprocess.run(command + ["layout", path], input=lines.encode(), check=True, capture_output=True).stdout
    results = output.decode().splitlines()
    if len(results) != len(cases):
        fail(f"{len(results)} answers for {len(cases)} messages")
    known = set()
    for (message, data, expected), line in zip(cases, results):
        got = json.loads(line)
        if not same(got.get("error", got), expected):
            fail(f"{message.name} {data.hex()}: {got}, must be {expected}")
        elif expected != "damaged":
            known.update(name for name, value in expected.items() if value is not None)
    return len(cases), known


def check_layouts(paths, command):
    if tomllib is None:
        print("layouts are not compared: that needs Python 3.11")
        return 0
    total = 0
    for path in paths:
        count, known = check_layout(path, command)
        total += count
        for name in ("speed", "yaw_rate", "steering", "turn_signal", "gear", "lamp_brightness", "sound_volume",
                     "off_button", "confirm_button", "counter"):
            if name not in known:
                fail(f"{path}: no frame had a {name}")
    return total


def check_tables(db, command):
    tables = json.loads(subprocess.run(command + ["tables"], check=True, capture_output=True).stdout)
    signals = {signal.name: signal for message in db.messages for signal in message.signals}
    with_choices = {name for name, signal in signals.items() if signal.choices}
    if with_choices != set(tables["choices"]):
        fail(f"VAL_ tables and enumerations: {sorted(with_choices ^ set(tables['choices']))}")
    for name, choices in tables["choices"].items():
        in_dbc = {str(number): str(text) for number, text in (signals[name].choices or {}).items()}
        if in_dbc != choices:
            fail(f"{name}: the .dbc says {in_dbc}, C++ says {choices}")
    for name, frame_id in tables["ids"].items():
        if db.get_message_by_name(name).frame_id != frame_id:
            fail(f"{name}: id {frame_id}")
    if set(tables["ids"]) != {message.name for message in db.messages}:
        fail("messages of the .dbc and of C++ differ")
    for name, period in tables["periods"].items():
        if db.get_message_by_name(name).cycle_time != period:
            fail(f"{name}: period {period}")
    for message in db.messages:
        attribute = message.dbc.attributes.get("GenMsgCycleTimeFast")
        if (attribute.value if attribute else None) != tables["fast_periods"].get(message.name):
            fail(f"{message.name}: fast period")
    return sum(len(choices) for choices in tables["choices"].values())


def main():
    if crc8_j1850(b"123456789") != 0x4B:
        fail("the check value of CRC-8/SAE-J1850")
    db = cantools.database.load_file(sys.argv[1], strict=True)
    command = sys.argv[3:]
    encoded = check_encoder(db, command)
    decoded = check_decoder(db, command)
    names = check_tables(db, command)
    by_layout = check_layouts(sys.argv[2].split(","), command)
    print(f"{encoded} messages encoded, {decoded} decoded, {by_layout} by layouts, {names} names compared with cantools "
          f"{cantools.__version__}: {failures} differences")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
