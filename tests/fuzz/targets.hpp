// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

/// What is fuzzed: each takes any bytes, and ends the program when a promise is broken. libFuzzer
/// feeds them in the `fuzz` preset; test_replay.cpp, seeds and random changes of them, everywhere.
namespace kerb::fuzz {

/// hog::parse(): an error, or a valid model that would be written as these very bytes. The first
/// byte's lowest bit says whether size and checksum are put right first.
void model_file(const std::uint8_t* data, std::size_t size);

/// The same, and then what a valid model promises: that engines can run it.
void engine(const std::uint8_t* data, std::size_t size);

/// Pictures of a thermal camera's counts: refused, or what sorting says, from picture to picture.
void thermal_frames(const std::uint8_t* data, std::size_t size);

/// lab::parse_opencv_model(): an error or a valid model, and no exception.
void opencv_model(const std::uint8_t* data, std::size_t size);

/// eval's readers of truth, all three, and of detections: an error, or boxes with an area and
/// scores that are numbers.
void truth(const std::uint8_t* data, std::size_t size);
void detections(const std::uint8_t* data, std::size_t size);
/// eval::parse_picture_sets(): what is wrong, or complete sets.
void picture_sets(const std::uint8_t* data, std::size_t size);

/// sim::parse_scenario(), suites too: lines about what is wrong, or scenarios whose world moves.
void scenario(const std::uint8_t* data, std::size_t size);

/// records::RecordFile and replay(): an error, or a record whose replay says what differs. The
/// first byte's lowest bit says whether the chunks' checksums are put right first.
void record(const std::uint8_t* data, std::size_t size);
/// FieldTable: refused, or a table that passes over any bytes.
void field_table(const std::uint8_t* data, std::size_t size);

/// UdsServer: sequences of requests, with faults and motion between them. Each is answered as
/// ISO 14229-1 has it, or suppressed.
void uds(const std::uint8_t* data, std::size_t size);
/// diagnostics::decode(): an error, or codes that can be written again and go on to the next cycle.
/// The first byte's lowest bit says whether the checksum is put right first.
void dtc_file(const std::uint8_t* data, std::size_t size);

/// parse_config(): lines about what is wrong and the defaults, or a configuration that can be
/// written and read again.
void configuration(const std::uint8_t* data, std::size_t size);

/// Frames of the bus, and sequences of them through what follows the vehicle's signals. What is
/// believed is in range.
void bus(const std::uint8_t* data, std::size_t size);

/// RotatingFile: a damaged file of events is repaired, and goes on.
void event_log(const std::uint8_t* data, std::size_t size);

/// v4l2::JpegDecoder: nothing is written outside the picture, and the next one is not affected.
void mjpeg(const std::uint8_t* data, std::size_t size);

/// Readers of the workbench's files.
void npy(const std::uint8_t* data, std::size_t size);
void flo(const std::uint8_t* data, std::size_t size);
void mot(const std::uint8_t* data, std::size_t size);
void play(const std::uint8_t* data, std::size_t size);
void trace(const std::uint8_t* data, std::size_t size);
/// dbc::parse(): lines about what is wrong, and messages whose signals lie within them.
void dbc_file(const std::uint8_t* data, std::size_t size);

using Bytes = std::vector<std::uint8_t>;
/// Inputs to begin with.
std::vector<Bytes> model_seeds();
std::vector<Bytes> thermal_seeds();
std::vector<Bytes> opencv_seeds();
std::vector<Bytes> truth_seeds();
std::vector<Bytes> detection_seeds();
std::vector<Bytes> picture_set_seeds();
std::vector<Bytes> scenario_seeds();
std::vector<Bytes> record_seeds();
std::vector<Bytes> field_table_seeds();
std::vector<Bytes> uds_seeds();
std::vector<Bytes> dtc_file_seeds();
std::vector<Bytes> configuration_seeds();
std::vector<Bytes> bus_seeds();
std::vector<Bytes> event_log_seeds();
std::vector<Bytes> mjpeg_seeds();
std::vector<Bytes> npy_seeds();
std::vector<Bytes> flo_seeds();
std::vector<Bytes> mot_seeds();
std::vector<Bytes> play_seeds();
std::vector<Bytes> trace_seeds();
std::vector<Bytes> dbc_seeds();

struct Target {
  const char* name;  ///< of its program, fuzz_NAME, and of its folder of seeds
  void (*run)(const std::uint8_t* data, std::size_t size);
  std::vector<Bytes> (*seeds)();
  int changes;  ///< of each seed, in test_replay.cpp
};
/// All that this build can run.
const std::vector<Target>& targets();

}  // namespace kerb::fuzz
