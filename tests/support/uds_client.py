# SPDX-License-Identifier: Apache-2.0
"""What udsoncan must be told of Kerbwatch: the identifiers with their sizes (docs/diagnostics.md)."""
import udsoncan


class Number(udsoncan.DidCodec):
    """One number of a fixed size, big-endian."""

    def __init__(self, size, signed=False):
        self.size, self.signed = size, signed

    def encode(self, value):
        return value.to_bytes(self.size, "big", signed=self.signed)

    def decode(self, payload):
        return int.from_bytes(payload, "big", signed=self.signed)

    def __len__(self):
        return self.size


FRAME = {0xFD10: Number(4), 0xFD11: Number(4), 0xFD12: Number(2, True), 0xFD13: Number(1), 0xFD14: Number(1),
         0xFD15: Number(4, True)}
OUTPUTS = {0xFD20: Number(1), 0xFD21: Number(1), 0xFD22: Number(1)}
TEXTS = {0xF189: udsoncan.AsciiCodec(32), 0xF18C: udsoncan.AsciiCodec(24), 0xF190: udsoncan.AsciiCodec(17),
         0xF197: udsoncan.AsciiCodec(16), 0xFD00: udsoncan.AsciiCodec(32)}
NUMBERS = {0xF186: Number(1), 0xFD01: Number(4), 0xFD02: Number(4), 0xFD03: Number(2), 0xFD16: Number(2)}


class OneByte(dict):
    """Every record of extended data has one byte, whatever the DTC."""

    def __contains__(self, dtc):
        return True

    def __getitem__(self, dtc):
        return 1

    def get(self, dtc, default=None):
        return 1


def config(**changes):
    out = dict(udsoncan.configs.default_client_config)
    out.update({
        "tolerate_zero_padding": False,
        "ignore_all_zero_dtc": False,
        "standard_version": 2020,
        "extended_data_size": OneByte(),
        "data_identifiers": {**TEXTS, **NUMBERS, **FRAME, **OUTPUTS},
        "input_output": OUTPUTS,
    })
    out.update(changes)
    return out


def name_of(dtc):
    """As testers show it: B1A04-31."""
    return f"{'PCBU'[dtc >> 22]}{dtc >> 8 & 0x3FFF:04X}-{dtc & 0xFF:02X}"
