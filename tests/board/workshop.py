#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A workshop's tester: udsoncan over the kernel's ISO-TP, at a Kerbwatch on a bus.

Reads who answers and its trouble codes with freeze frames, drives lamps and tone, clears, and sees that a car that
moves refuses. Prints every request and response, and what they mean; a closing line `N checks, N failed`.
Exit code 1 when one failed. The emulated board runs it; it works at any bus with vcan or a CAN adapter, too.
"""
import argparse
import logging
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, os.pardir, "support")]

import isotp  # noqa: E402
import uds_client  # noqa: E402
from udsoncan.client import Client  # noqa: E402
from udsoncan.connections import IsoTPSocketConnection  # noqa: E402
from udsoncan.exceptions import NegativeResponseException  # noqa: E402

failed = total = 0
slowest = 0.0


def say(line):
    print(line, flush=True)


def check(holds, what):
    global failed, total
    total += 1
    failed += not holds
    say(f"{'ok  ' if holds else 'FAIL'} {what}")
    return holds


class Connection(IsoTPSocketConnection):
    """Shows what goes over it, and takes the time."""

    def specific_send(self, payload, timeout=None):
        say(f"  > {payload.hex(' ')}")
        self.asked = time.monotonic()
        super().specific_send(payload)

    def specific_wait_frame(self, timeout=None):
        global slowest
        frame = super().specific_wait_frame(timeout=timeout)
        if frame is not None:
            took = time.monotonic() - self.asked
            slowest = max(slowest, took)
            say(f"  < {frame.hex(' ')}")
        return frame


def codes(response):
    return {dtc.id: dtc for dtc in response.service_data.dtcs}


def refused(code, call, what):
    try:
        call()
    except NegativeResponseException as negative:
        check(negative.response.code == code, f"{what} is refused: {negative.response.code_name}")
        return
    check(False, f"{what} is refused: a positive response")


def await_speed(client, holds, seconds):
    """Asks until the speed is as wanted; each question keeps the session."""
    for _ in range(int(seconds * 5)):
        speed = client.read_data_by_identifier(0xFD12).service_data.values[0xFD12]
        if speed != 0x7FFF and holds(speed / 100):
            return True
        time.sleep(0.2)
    return False


def identify(client):
    values = client.read_data_by_identifier([0xF189, 0xF197]).service_data.values
    check(values[0xF197].rstrip() == "Kerbwatch" and values[0xF189].strip() != "",
          f"{values[0xF197].rstrip()} {values[0xF189].rstrip()}")
    values = client.read_data_by_identifier([0xFD02, 0xFD03]).service_data.values
    check(values[0xFD02] != 0, f"calibration CRC {values[0xFD02]:08X}, decisions {values[0xFD03]}")
    try:
        values = client.read_data_by_identifier([0xFD00, 0xFD01]).service_data.values
        check(values[0xFD01] != 0, f"model {values[0xFD00].rstrip()}, CRC {values[0xFD01]:08X}")
    except NegativeResponseException as negative:
        check(negative.response.code == 0x31, "no model")


def read_codes(client, expected):
    supported = codes(client.get_supported_dtc())
    check(len(supported) > 20, f"{len(supported)} codes are supported")
    count = client.get_number_of_dtc_by_status_mask(0x20).service_data.dtc_count
    found = codes(client.get_dtc_by_status_mask(0x20))
    confirmed = sum(dtc.status.confirmed for dtc in found.values())
    check(count == len(found), f"{count} codes have failed, {confirmed} of them are confirmed: "
                               f"{' '.join(uds_client.name_of(c) for c in found)}")
    for dtc in expected:
        if not check(dtc in found, f"{uds_client.name_of(dtc)} is one of them"):
            continue
        frames = codes(client.get_dtc_snapshot_by_dtc_number(dtc, 0x01))[dtc].snapshots
        values = {frame.did: frame.data for frame in frames}
        speed = values.get(0xFD12, 0x7FFF)
        check(len(values) == 6, f"its first freeze frame: {values.get(0xFD11)} s after the start, speed "
                                f"{'not known' if speed == 0x7FFF else f'{speed / 100} m/s'}, readiness "
                                f"{values.get(0xFD13)}, number {values.get(0xFD15, 0) / 1000}")
        extended = codes(client.get_dtc_extended_data_by_dtc_number(dtc, 0xFF))[dtc].extended_data
        check([d.record_number for d in extended] == [1, 2] and extended[0].raw_data[0] > 0,
              f"its number of occurrences: {extended[0].raw_data[0] if extended else 0}")


def drive_outputs(client):
    client.change_session(3)
    answer = client.io_control(0xFD20, 3, [1]).service_data
    check(answer.decoded_data == 1, "the warning lamp is on")
    client.io_control(0xFD22, 3, [1])
    time.sleep(0.5)
    client.tester_present()
    client.io_control(0xFD22, 0)
    answer = client.io_control(0xFD20, 0).service_data
    check(answer.decoded_data == 0xFF, "and given back")


def clear(client):
    client.clear_dtc(0xFFFFFF)
    # A fault that is there now fails again at once; it takes 2 s to be confirmed.
    count = client.get_number_of_dtc_by_status_mask(0x08).service_data.dtc_count
    check(count == 0, f"after clearing {count} codes are confirmed")


def on_the_road(client):
    say("now drive")
    check(await_speed(client, lambda speed: speed > 5, 60), "it drives")
    refused(0x22, lambda: client.clear_dtc(0xFFFFFF), "clearing")
    client.change_session(3)
    refused(0x22, lambda: client.io_control(0xFD20, 3, [1]), "the warning lamp")
    refused(0x22, lambda: client.ecu_reset(1), "a reset")
    say("now stand")
    check(await_speed(client, lambda speed: speed < 0.1, 60), "it stands")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    number = lambda text: int(text, 0)  # noqa: E731
    parser.add_argument("--interface", default="vcan0")
    parser.add_argument("--request", type=number, default=0x7B6)
    parser.add_argument("--response", type=number, default=0x7BE)
    parser.add_argument("--expect", type=number, action="append", default=[], metavar="DTC",
                        help="a code that must have failed; may be repeated")
    parser.add_argument("--road", action="store_true", help="say `now drive` and `now stand`, and wait until it does")
    options = parser.parse_args()
    logging.getLogger().addHandler(logging.NullHandler())  # udsoncan would repeat every negative response
    address = isotp.Address(rxid=options.response, txid=options.request)
    # An emulated board takes its time; on a car the times that Kerbwatch tells would do.
    settings = uds_client.config(use_server_timing=False, p2_timeout=3, request_timeout=5)
    with Client(Connection(options.interface, address), config=settings) as client:
        identify(client)
        read_codes(client, options.expect)
        drive_outputs(client)
        refused(0x31, lambda: client.test_data_identifier([0x1234]), "an unknown identifier")
        refused(0x11, lambda: client.request_seed(1), "an unknown service")
        clear(client)
        if options.road:
            on_the_road(client)
    say(f"slowest response after {slowest * 1000:.0f} ms")
    say(f"{total} checks, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
