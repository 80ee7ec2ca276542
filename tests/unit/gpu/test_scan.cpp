// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/scan.hpp"

#include <cmath>
#include <cstring>

#include "gpu/image/transpose.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/arrays.hpp"

using namespace kerb;
using namespace kerb::test;

namespace {

struct Size2 {
  int width, height;
};
constexpr Size2 kLengths[] = {{1, 1},   {2, 3},   {15, 2},  {16, 2},  {17, 2},   {255, 1},
                              {256, 2}, {257, 2}, {271, 1}, {512, 1}, {1000, 3}, {70'000, 1}};

template <typename T>
bool same(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// The header's order, with the row cut up first: sums of groups, of segments, of elements.
template <typename T>
T by_definition(const T* row, int x) {
  const int group = x / kScanGroup * kScanGroup, segment = x / kScanSegment * kScanSegment;
  const auto segment_sum = [&](int from, int to) {
    T sum = row[from];
    for (int i = from + 1; i < to; ++i) sum = sum + row[i];
    return sum;
  };
  T groups{}, segments{};
  for (int g = 0; g < group; g += kScanGroup) {
    T sum{};
    for (int s = g; s < g + kScanGroup; s += kScanSegment)
      sum = sum + segment_sum(s, s + kScanSegment);
    groups = groups + sum;
  }
  for (int s = group; s < segment; s += kScanSegment)
    segments = segments + segment_sum(s, s + kScanSegment);
  return (groups + segments) + segment_sum(segment, x + 1);
}

template <typename T>
void check_scan() {
  for (const Size2& size : kLengths)
    for (ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
      const Array<T> in = Array<T>::random(size.width, size.height, 3, false);
      Array<T> out = Array<T>::random(size.width, size.height, 2, true);
      const Array<T> before = out;
      TEST_ASSERT_OK(cpu::scan_rows(in.in(), kind, out.out()));
      const int step = size.width > 2000 ? 997 : 1;  // the definition is slow
      for (int y = 0; y < size.height; ++y) {
        const T* row = &in.at(0, y);
        for (int x = 0; x < size.width; x += step) {
          T expected{};
          if (kind == ScanKind::inclusive)
            expected = by_definition(row, x);
          else if (x > 0)
            expected = by_definition(row, x - 1);
          if (!same(expected, out.at(x, y))) TEST_FAIL_MESSAGE("not the header's order");
        }
        for (int x = size.width; x < out.stride; ++x)
          TEST_ASSERT_TRUE(same(before.at(x, y), out.at(x, y)));
      }
    }
}
TEST(scans_add_in_the_order_their_header_says) {
  check_scan<std::uint32_t>();
  check_scan<float>();
  check_scan<double>();
  check_scan<Float4>();
}

// Whole numbers are exact in any order, so that the plain loop is an oracle.
TEST(scans_of_whole_numbers_are_exact) {
  for (const Size2& size : kLengths) {
    const auto in = Array<float>::random(size.width, size.height, 0, true);
    Array<float> inclusive{size.width, size.height, 0}, exclusive{size.width, size.height, 0};
    TEST_ASSERT_OK(cpu::scan_rows(in.in(), ScanKind::inclusive, inclusive.out()));
    TEST_ASSERT_OK(cpu::scan_rows(in.in(), ScanKind::exclusive, exclusive.out()));
    for (int y = 0; y < size.height; ++y) {
      float sum = 0;
      for (int x = 0; x < size.width; ++x) {
        if (exclusive.at(x, y) != sum) TEST_FAIL_MESSAGE("exclusive");
        sum += in.at(x, y);
        if (inclusive.at(x, y) != sum) TEST_FAIL_MESSAGE("inclusive");
      }
    }
  }
}

TEST(inclusive_scans_work_in_place_and_exclusive_ones_refuse) {
  auto in = Array<double>::random(300, 2, 1, false);
  Array<double> out = in;
  TEST_ASSERT_OK(cpu::scan_rows(in.in(), ScanKind::inclusive, out.out()));
  TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::scan_rows(in.in(), ScanKind::exclusive, in.out()));
  TEST_ASSERT_OK(cpu::scan_rows(in.in(), ScanKind::inclusive, in.out()));
  TEST_ASSERT_TRUE(
      std::memcmp(in.values.data(), out.values.data(), in.values.size() * sizeof(double)) == 0);
}

TEST(scans_refuse_what_their_contract_refuses) {
  float in[16] = {}, out[16] = {};
  using In = ImageView<Space::host, const float>;
  using Out = ImageView<Space::host, float>;
  TEST_ASSERT_OK(cpu::scan_rows(In{in, 4, 4, 4}, ScanKind::inclusive, Out{out, 4, 4, 4}));
  for (const In& bad :
       {In{nullptr, 4, 4, 4}, In{in, 0, 4, 4}, In{in, 4, 0, 4}, In{in, 4, 4, 3}, In{in, 3, 4, 4}})
    TEST_ASSERT_ERROR(Errc::invalid_argument,
                      cpu::scan_rows(bad, ScanKind::inclusive, Out{out, 4, 4, 4}));
  for (const Out& bad : {Out{nullptr, 4, 4, 4}, Out{out, 4, 3, 4}, Out{out, 4, 4, 3}})
    TEST_ASSERT_ERROR(Errc::invalid_argument,
                      cpu::scan_rows(In{in, 4, 4, 4}, ScanKind::inclusive, bad));
}

template <typename T>
void check_transpose() {
  for (const Size2& size : {Size2{1, 1}, Size2{1, 9}, Size2{9, 1}, Size2{16, 16}, Size2{17, 33},
                            Size2{100, 65}, Size2{64, 31}}) {
    const Array<T> in = Array<T>::random(size.width, size.height, 2, false);
    Array<T> out = Array<T>::random(size.height, size.width, 3, false);
    const Array<T> before = out;
    TEST_ASSERT_OK(cpu::transpose(in.in(), out.out()));
    for (int x = 0; x < size.width; ++x)
      for (int y = 0; y < out.stride; ++y)
        if (!same(y < size.height ? in.at(x, y) : before.at(y, x), out.at(y, x)))
          TEST_FAIL_MESSAGE("transpose");
  }
}
TEST(transpose_turns_elements_of_every_size) {
  check_transpose<std::uint8_t>();
  check_transpose<std::uint32_t>();
  check_transpose<double>();
  check_transpose<Float4>();
}

TEST(transpose_refuses_what_its_contract_refuses) {
  std::uint32_t in[16] = {}, out[16] = {};
  using In = ImageView<Space::host, const std::uint32_t>;
  using Out = ImageView<Space::host, std::uint32_t>;
  TEST_ASSERT_OK(cpu::transpose(In{in, 4, 3, 4}, Out{out, 3, 4, 3}));
  for (const In& bad : {In{nullptr, 4, 3, 4}, In{in, 3, 3, 4}, In{in, 4, 4, 4}, In{in, 4, 3, 3},
                        In{in, 65537, 3, 65537}})
    TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::transpose(bad, Out{out, 3, 4, 3}));
  for (const Out& bad : {Out{nullptr, 3, 4, 3}, Out{out, 4, 3, 4}, Out{out, 3, 4, 2}})
    TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::transpose(In{in, 4, 3, 4}, bad));
}

}  // namespace
