// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <string>
#include <string_view>

#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"
#include "tools/eval/mot.hpp"
#include "tools/files/npy.hpp"
#include "tools/flow/flo_file.hpp"
#include "tools/simulator/hil/play_file.hpp"
#include "tools/simulator/judge/trace.hpp"

namespace kerb::fuzz {
namespace {

std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}
Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

void check(const Result<eval::MotBoxes>& boxes) {
  if (!boxes) return demand(!describe(boxes.error()).empty(), "errors say what");
  for (const auto& [frame, people] : *boxes) {
    demand(frame >= 1 && !people.empty(), "frames count from 1 and have somebody");
    for (const eval::MotBox& person : people)
      demand(std::isfinite(person.box.x) && std::isfinite(person.box.y) && person.box.w > 0 &&
                 person.box.h > 0 && std::isfinite(person.box.w) && std::isfinite(person.box.h) &&
                 std::isfinite(person.conf),
             "boxes have an area");
  }
}

}  // namespace

void npy(const std::uint8_t* data, std::size_t size) {
  const Result<files::NpyTable> table = files::parse_npy("fuzz", "f", text_of(data, size));
  if (!table) return demand(!describe(table.error()).empty(), "errors say what");
  demand(table->values.size() == table->rows * table->columns,
         "there are as many as the shape has");
  demand(table->values.size() <= size, "no more values than bytes");
  const std::string written = files::to_npy(table->values, {table->rows, table->columns});
  const Result<files::NpyTable> again = files::parse_npy("fuzz", "f", written);
  demand(again && again->rows == table->rows && again->columns == table->columns,
         "what is read can be written");
  for (std::size_t i = 0; i < table->values.size(); ++i)
    demand(again->values[i] == table->values[i] || std::isnan(table->values[i]),
           "and is the same then");
}

void flo(const std::uint8_t* data, std::size_t size) {
  const Result<lab::Field> field = lab::parse_flo(text_of(data, size), "f");
  if (!field) return demand(!describe(field.error()).empty(), "errors say what");
  demand(lab::to_flo(*field) == text_of(data, size), "what is read is written the same");
}

void mot(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  check(eval::parse_mot(text, "f"));
  check(eval::parse_mot_truth_tracks(text, "f"));
  check(eval::parse_mot_tracks(text, "f"));
  check(eval::parse_mot_detections(text, "f"));
}

void play(const std::uint8_t* data, std::size_t size) {
  const Result<sim::Play> read = sim::parse_play(text_of(data, size));
  if (!read) return demand(read.error().code == Errc::damaged, "errors say what");
  const std::string written = sim::render_play(*read);
  const Result<sim::Play> again = sim::parse_play(written);
  demand(again && sim::render_play(*again) == written, "what is read can be written");
  for (const sim::Play::Message& message : read->messages)
    demand(is_valid(message.frame), "frames are valid");
  for (const sim::Play::Shown& shown : read->pictures)
    demand(shown.pixels.size() ==
               static_cast<std::size_t>(read->width) * static_cast<std::size_t>(read->height),
           "pictures have their size");
}

void trace(const std::uint8_t* data, std::size_t size) {
  const Result<sim::Trace> read = sim::parse_trace(text_of(data, size), "f");
  if (!read) return demand(!describe(read.error()).empty(), "errors say what");
  const std::string written = sim::render_trace(*read);
  const Result<sim::Trace> again = sim::parse_trace(written, "f");
  demand(again && sim::render_trace(*again) == written, "what is read can be written");
}

std::vector<Bytes> npy_seeds() {
  std::vector<Bytes> seeds{bytes_of(files::to_npy(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3})),
                           bytes_of(files::to_npy(std::vector<double>{0.5, -1e300}, {2}))};
  const auto with_head = [](char version, std::string_view head, std::size_t zeros) {
    std::string text{"\x93NUMPY"};
    text.push_back(version);
    text.push_back('\0');
    text.push_back(static_cast<char>(head.size()));
    text.append(version == 1 ? 1 : 3, '\0');
    return bytes_of(text.append(head).append(zeros, '\1'));
  };
  seeds.push_back(with_head(1, "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }\n", 12));
  seeds.push_back(with_head(2, "{'descr': '|b1', 'fortran_order': False, 'shape': (5,), }\n", 5));
  return seeds;
}
std::vector<Bytes> flo_seeds() {
  lab::Field field{3, 2};
  for (std::size_t i = 0; i < field.size(); ++i) field.u[i] = static_cast<float>(i);
  return {bytes_of(lab::to_flo(field))};
}
std::vector<Bytes> mot_seeds() {
  return {bytes_of("1,1,466.5,139,91,193.68,1,-1,-1,-1\n2,6,485,145,16.667,55.039,0,-1,-1,-1\n"),
          bytes_of("1,1,688.0,242.5,18.5,14.0,1,1,0.5\n1,2,688.0,242.5,18.5,14.0,0,11,1\n"),
          bytes_of("# a\r\n3, 7, 1e2, -2, +5, 4\n\n4,7,1,2,3,4,0.25\n")};
}
std::vector<Bytes> play_seeds() {
  sim::Play play;
  play.name = "crossing";
  play.seconds = 1.5;
  play.width = 4;
  play.height = 2;
  play.enlarge = 3;
  CanFrame frame;
  frame.id = 0x120;
  frame.size = 8;
  play.messages = {{0.02, frame}, {0.04, frame}};
  play.pictures = {{0.1, Bytes(8, 7)}, {0.2, Bytes(8, 9)}};
  return {bytes_of(sim::render_play(play))};
}
std::vector<Bytes> trace_seeds() {
  return {
      bytes_of("# begin\n1.230000 can 220 8F10000000000000\n1.230000 lamp 1\n1.4 status 0\n"
               "1.500000 tone 1000 8 0.5 0.8\n2.000000 tone off\n")};
}

}  // namespace kerb::fuzz
