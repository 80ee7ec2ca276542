// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "gpu/memory/context.hpp"
#include "hal/base/result.hpp"

/// What the programs bench_emd, bench_flow, bench_hog and bench_image share: they are `kerblab
/// bench` for a machine with nothing but a compiler and CUDA, and write JSON lines.
namespace kerb::bench {

inline constexpr int kUsage = 2;

/// Prints "PROGRAM: error: ..." and gives the exit code for it.
inline int fail(const char* program, const Error& error) {
  std::fprintf(stderr, "%s: error: %s\n", program, describe(error).c_str());
  return kUsage;
}
inline int usage(const char* text) {
  std::fputs(text, stderr);
  return kUsage;
}

/// A count of repeats, 1..100000; none when the text is not one.
inline std::optional<int> read_repeats(const char* text) {
  char* end = nullptr;
  const long number = std::strtol(text, &end, 10);
  if (end == text || *end != '\0' || number < 1 || number > 100000) return std::nullopt;
  return static_cast<int>(number);
}

/// [auto|cpu|cuda] [REPEATS], in the order of the command line.
struct Arguments {
  BackendChoice choice = BackendChoice::automatic;
  std::optional<int> repeats;
};
/// Of argv[first] and what follows; none when it is not that.
inline std::optional<Arguments> read_arguments(int argc, char** argv, int first = 1) {
  Arguments out;
  if (argc > first + 2) return std::nullopt;
  if (argc > first && !parse(argv[first], out.choice)) return std::nullopt;
  if (argc <= first + 1) return out;
  out.repeats = read_repeats(argv[first + 1]);
  if (!out.repeats) return std::nullopt;
  return out;
}

/// Takes backend and repeats over into a benchmark's settings. Fails: as Context::create().
template <typename Bench>
Result<Context> apply(const Arguments& arguments, Bench& bench) {
  if (arguments.repeats) bench.repeats = *arguments.repeats;
  Result<Context> context = Context::create(arguments.choice);
  if (!context) return context;
  bench.cpu = arguments.choice != BackendChoice::cuda;
  bench.cuda = context->backend() == Backend::cuda;
  return context;
}

/// The first line: the machine.
template <typename Bench>
void print_machine(const Context& context, const Bench& bench) {
  std::printf("{\"machine\":\"%s\",\"repeats\":%d}\n",
              bench.cuda ? context.info().device.c_str() : "cpu", bench.repeats);
}

}  // namespace kerb::bench
