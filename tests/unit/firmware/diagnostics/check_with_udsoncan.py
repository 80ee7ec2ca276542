#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the diagnostic services against udsoncan, a client with its own reading of ISO 14229-1.

usage: check_with_udsoncan.py [--transcript] COMMAND...    (COMMAND runs uds_stand_in)

udsoncan makes the requests, checks the responses (echoes, lengths, formats of DTCs, freeze frames and extended data,
which negative responses the standard has for a service) and decodes them; here the values are compared. --transcript
prints every request and response. Exits 77 when there is no udsoncan, neither for this Python nor in .deps/venv.
"""
import logging
import os
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), *[".."] * 4))
VENV_PYTHON = os.path.join(ROOT, ".deps", "venv", "bin", "python")

try:
    import udsoncan
    from udsoncan.client import Client
    from udsoncan.connections import BaseConnection
    from udsoncan.exceptions import NegativeResponseException, TimeoutException
except ImportError:
    if os.access(VENV_PYTHON, os.X_OK) and "KERB_IN_VENV" not in os.environ:
        os.environ["KERB_IN_VENV"] = "1"
        os.execv(VENV_PYTHON, [VENV_PYTHON, *sys.argv])
    print("skipped: no udsoncan (pip install udsoncan)")
    sys.exit(77)

sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
import uds_client  # noqa: E402  (it needs udsoncan)

CAMERA_DARK_0, CAMERA_FROZEN_1, BOARD_HOT = 0x9A1C97, 0x9A1596, 0x9A244B
checks = 0
failures = 0
transcript = False


def check(holds, what):
    global checks, failures
    checks += 1
    if not holds:
        failures += 1
        print("FAIL", what)


class Warnings(logging.Handler):
    """What udsoncan only logs: a negative response that the standard does not have for its service."""

    def emit(self, record):
        if "not a supported negative response" in record.getMessage():
            check(False, "udsoncan says: " + record.getMessage())


class StandIn(BaseConnection):
    """The pipe to uds_stand_in: a line for each request and each response."""

    def __init__(self, command):
        super().__init__("stand-in")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.functional = False
        self.waiting = []
        self.opened = False

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError("uds_stand_in has ended")
        return answer.strip()

    def open(self):
        self.opened = True
        return self

    def close(self):
        self.opened = False

    def is_open(self):
        return self.opened

    def empty_rxqueue(self):
        self.waiting.clear()

    def specific_send(self, payload, timeout=None):
        answer = self.tell(("F " if self.functional else "P ") + payload.hex().upper())
        if transcript:
            print(f"  tester {'to all' if self.functional else '      '} {payload.hex(' ').upper()}")
            print(f"  Kerbwatch     {bytes.fromhex(answer).hex(' ').upper() if answer != '-' else '(none)'}")
        if answer != "-":
            self.waiting.append(bytes.fromhex(answer))

    def specific_wait_frame(self, timeout=None):
        if not self.waiting:
            raise TimeoutException("no response")
        return self.waiting.pop(0)


def refused(code, call, what):
    try:
        call()
    except NegativeResponseException as negative:
        check(negative.response.code == code, f"{what}: {negative.response.code_name}, expected 0x{code:02X}")
        return
    check(False, f"{what}: a positive response, expected 0x{code:02X}")


def title(text):
    if transcript:
        print(text)


def codes(response):
    return {dtc.id: dtc for dtc in response.service_data.dtcs}


def sessions(client, link):
    title("Sessions")
    answer = client.change_session(1)
    check(answer.service_data.session_echo == 1, "echo of the default session")
    refused(0x7F, lambda: client.io_control(0xFD20, 3, [1]), "outputs in the default session")
    answer = client.change_session(3)
    timing = answer.service_data
    check(abs(timing.p2_server_max - 0.05) < 1e-9 and abs(timing.p2_star_server_max - 5) < 1e-9,
          f"P2 {timing.p2_server_max}, P2* {timing.p2_star_server_max}")
    refused(0x12, lambda: client.change_session(2), "the programming session")
    client.tester_present()
    for _ in range(3):
        link.tell("run 4")
        with client.suppress_positive_response(wait_nrc=True):
            client.tester_present()
    check(client.read_data_by_identifier(0xF186).service_data.values[0xF186] == 3, "it is kept by tester present")
    link.tell("run 5.1")
    check(client.read_data_by_identifier(0xF186).service_data.values[0xF186] == 1, "and ends by itself (S3)")


def identifiers(client, link):
    title("Identifiers")
    values = client.read_data_by_identifier([0xF189, 0xF18C, 0xF190, 0xF197]).service_data.values
    check(values[0xF189].rstrip() == "1.2.3", f"software {values[0xF189]!r}")
    check(values[0xF18C].rstrip() == "KW-0042", f"serial {values[0xF18C]!r}")
    check(values[0xF190] == "WKWTEST0000000042", f"VIN {values[0xF190]!r}")
    check(values[0xF197].rstrip() == "Kerbwatch", f"system {values[0xF197]!r}")
    values = client.read_data_by_identifier([0xFD00, 0xFD01, 0xFD02, 0xFD03]).service_data.values
    check(values[0xFD00].rstrip() == "default.kwm" and values[0xFD01] == 0x01020304, f"model {values}")
    check(values[0xFD02] == 0xCAFE0001 and values[0xFD03] == 5, f"calibration, decisions {values}")
    link.tell("speed -1.5")
    check(client.read_data_by_identifier(0xFD12).service_data.values[0xFD12] == -150, "speed in 0.01 m/s")
    link.tell("speed 0")
    refused(0x31, lambda: client.test_data_identifier([0x1234]), "an unknown identifier")


def trouble_codes(client, link):
    title("Trouble codes")
    check(not codes(client.get_dtc_by_status_mask(0x08)), "no code is confirmed")
    link.tell("speed 12.34")
    link.tell("fault camera_dark 0 2.5")
    link.tell("run 3")
    link.tell("healed")
    link.tell("run 1")
    link.tell("fault camera_frozen 1 450")
    link.tell("run 0.5")
    answer = client.get_number_of_dtc_by_status_mask(0x08).service_data
    check(answer.dtc_count == 1 and answer.status_availability.get_byte_as_int() == 0xFF, "one is confirmed")
    found = codes(client.get_dtc_by_status_mask(0xAF))
    check(set(found) == {CAMERA_DARK_0, CAMERA_FROZEN_1}, f"codes {[hex(code) for code in found]}")
    dark, frozen = found[CAMERA_DARK_0].status, found[CAMERA_FROZEN_1].status
    check(dark.confirmed and dark.pending and not dark.test_failed and not dark.warning_indicator_requested,
          f"status of the dark camera {dark.get_byte_as_int():02X}")
    check(frozen.test_failed and frozen.pending and not frozen.confirmed and frozen.warning_indicator_requested,
          f"status of the frozen camera {frozen.get_byte_as_int():02X}")
    supported = codes(client.get_supported_dtc())
    check(len(supported) > 30 and {CAMERA_DARK_0, CAMERA_FROZEN_1, BOARD_HOT} <= set(supported),
          f"{len(supported)} codes are supported")
    title("Freeze frames and extended data")
    frames = codes(client.get_dtc_snapshot_by_dtc_number(CAMERA_DARK_0, 0xFF))[CAMERA_DARK_0].snapshots
    values = {(s.record_number, s.did): s.data for s in frames}
    check(len(values) == 12, f"{len(values)} values in two freeze frames")
    check(values.get((1, 0xFD12)) == 1234 and values.get((1, 0xFD15)) == 2500, f"speed and number {values}")
    check(values.get((2, 0xFD10)) == 1_800_000_000, "time")
    none = codes(client.get_dtc_snapshot_by_dtc_number(BOARD_HOT, 0xFF))[BOARD_HOT].snapshots
    check(not none, "a code that never failed has no freeze frame")
    data = codes(client.get_dtc_extended_data_by_dtc_number(CAMERA_DARK_0, 0xFF))[CAMERA_DARK_0].extended_data
    check([(d.record_number, d.raw_data) for d in data] == [(1, b"\x01"), (2, b"\x00")], "extended data")
    refused(0x31, lambda: client.get_dtc_snapshot_by_dtc_number(0x123456, 0x01), "frames of an unknown code")
    refused(0x31, lambda: client.get_dtc_extended_data_by_dtc_number(CAMERA_DARK_0, 0x77), "an unknown record")
    title("The next ignition")
    link.tell("ignition")
    link.tell("run 1")
    found = codes(client.get_dtc_by_status_mask(0x08))
    check(set(found) == {CAMERA_DARK_0}, f"kept over the ignition: {[hex(code) for code in found]}")
    title("Clearing")
    link.tell("speed 10")
    refused(0x22, lambda: client.clear_dtc(0xFFFFFF), "clearing on the road")
    link.tell("speed 0")
    refused(0x31, lambda: client.clear_dtc(0xFFFF33), "an unknown group")
    client.clear_dtc(CAMERA_FROZEN_1)
    check(set(codes(client.get_dtc_by_status_mask(0x2C))) == {CAMERA_DARK_0}, "one code is cleared")
    client.clear_dtc(0xFFFFFF)
    check(not codes(client.get_dtc_by_status_mask(0x2C)), "all are cleared")


def outputs(client, link):
    title("Lamps and tone")
    client.change_session(3)
    answer = client.io_control(0xFD20, 3, [1]).service_data
    check(answer.did_echo == 0xFD20 and answer.control_param_echo == 3 and answer.decoded_data == 1, "echo")
    client.io_control(0xFD21, 3, [0])
    client.io_control(0xFD22, 3, [1])
    told = link.tell("outputs now")
    check(told == "warning collision, status off, tone on", told)
    client.io_control(0xFD20, 0)
    told = link.tell("outputs now")
    check(told == "warning none, status off, tone on", told)
    refused(0x31, lambda: client.io_control(0xFD22, 3, [2]), "a level that is none")
    link.tell("speed 2")
    refused(0x22, lambda: client.io_control(0xFD22, 3, [1]), "outputs of a car that moves")
    told = link.tell("outputs now")
    check(told == "warning none, status free, tone off", "let go by driving: " + told)
    refused(0x22, lambda: client.ecu_reset(1), "a reset of a car that moves")
    link.tell("speed 0")
    check(client.ecu_reset(3).service_data.reset_type_echo == 3, "reset")


def silent(call, what):
    try:
        call()
    except TimeoutException:
        check(True, what)
    except NegativeResponseException as negative:
        check(False, f"{what}: {negative.response.code_name}, expected no response")
    else:
        check(False, f"{what}: a positive response, expected none")


def functional(client, link):
    title("Requests to all control units")
    link.functional = True
    client.tester_present()
    check(client.read_data_by_identifier(0xFD01).service_data.values[0xFD01] == 0x01020304, "answered by who can")
    silent(lambda: client.change_session(2), "a session that others may have")
    silent(lambda: client.test_data_identifier([0x1234]), "an identifier that others may have")
    silent(lambda: client.request_seed(1), "a service that others may have")
    link.functional = False
    refused(0x11, lambda: client.request_seed(1), "security access")


def main():
    global transcript
    words = sys.argv[1:]
    if words and words[0] == "--transcript":
        transcript = True
        words = words[1:]
    logging.getLogger().addHandler(Warnings())
    logging.lastResort = None
    link = StandIn(words)
    with Client(link, config=uds_client.config()) as client:
        for part in (sessions, identifiers, trouble_codes, outputs, functional):
            link.tell("speed 0")
            link.tell("run 6")
            part(client, link)
    link.process.stdin.close()
    ended = link.process.wait(timeout=60)
    check(ended == 0, f"uds_stand_in ended with {ended}")
    print(f"{checks} checks with udsoncan {udsoncan.__version__}: {failures} differences")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
