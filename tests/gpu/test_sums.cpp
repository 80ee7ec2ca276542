// SPDX-License-Identifier: Apache-2.0
// Scans, transpositions and integral images: equal to the CPU's bit for bit, floats too.
#include "gpu/image/integral.hpp"
#include "gpu/image/scan.hpp"
#include "gpu/image/transpose.hpp"
#include "tests/gpu/device.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/arrays.hpp"

using namespace kerb;
using namespace kerb::test;

namespace {

struct Size2 {
  int width, height;
};
constexpr Size2 kScanSizes[] = {{1, 1},    {15, 3},   {16, 33},  {17, 2},    {255, 5},  {256, 9},
                                {257, 31}, {513, 17}, {1023, 3}, {1025, 5},  {4095, 2}, {4096, 1},
                                {4097, 3}, {8200, 2}, {3, 1000}, {70'001, 2}};
constexpr Size2 kIntegralSizes[] = {{1, 1},     {2, 1},      {1, 2},    {15, 16},
                                    {16, 17},   {256, 16},   {257, 33}, {300, 255},
                                    {511, 513}, {1281, 719}, {3, 5000}, {5000, 3}};

template <typename T>
void name_case(char (&text)[100], const char* what, const Size2& size) {
  std::snprintf(text, sizeof text, "%s of %zu-byte elements, %dx%d", what, sizeof(T), size.width,
                size.height);
}

template <typename T>
void check_scan(const Size2& size, ScanKind kind, bool in_place) {
  const auto in = Array<T>::random(size.width, size.height, 3, false);
  Array<T> expected = in_place ? in : Array<T>{size.width, size.height, 3};
  const DeviceBuffer<T> input = upload(in.values), output = upload(expected.values);
  TEST_ASSERT_OK(cpu::scan_rows(in.in(), kind, expected.out()));
  T* const from = in_place ? output.device_data() : input.device_data();
  TEST_ASSERT_OK(scan_rows<T>(gpu->stream(), in.on_device(from), kind,
                              expected.on_device(output.device_data())));
  char text[100];
  name_case<T>(text, kind == ScanKind::exclusive ? "exclusive" : "inclusive", size);
  assert_equal_bits(expected.values, download(output, expected.values.size()), text);
}
template <typename T>
void check_scans() {
  for (const Size2& size : kScanSizes) {
    check_scan<T>(size, ScanKind::inclusive, false);
    check_scan<T>(size, ScanKind::inclusive, true);
    check_scan<T>(size, ScanKind::exclusive, false);
  }
}
TEST(scans_equal_the_cpu_bit_for_bit) {
  check_scans<std::uint32_t>();
  check_scans<float>();
  check_scans<double>();
  check_scans<Float4>();
}

template <typename T>
void check_transpose() {
  for (const Size2& size : {Size2{1, 1}, Size2{1, 9}, Size2{9, 1}, Size2{32, 32}, Size2{33, 65},
                            Size2{64, 64}, Size2{129, 63}, Size2{641, 359}}) {
    const auto in = Array<T>::random(size.width, size.height, 2, false);
    auto expected = Array<T>::random(size.height, size.width, 3, false);
    const DeviceBuffer<T> input = upload(in.values), output = upload(expected.values);
    TEST_ASSERT_OK(cpu::transpose(in.in(), expected.out()));
    TEST_ASSERT_OK(transpose<T>(gpu->stream(), in.on_device(input.device_data()),
                                expected.on_device(output.device_data())));
    char text[100];
    name_case<T>(text, "transpose", size);
    assert_equal_bits(expected.values, download(output, expected.values.size()), text);
  }
}
TEST(transpositions_equal_the_cpu) {
  check_transpose<std::uint8_t>();
  check_transpose<std::uint32_t>();
  check_transpose<double>();
  check_transpose<Float4>();
}

template <typename In, typename T>
void check_integrals() {
  for (const Size2& size : kIntegralSizes)
    for (int more : {0, 1}) {
      const auto in = Array<In>::random(size.width, size.height, 1, false);
      auto expected = Array<T>::random(size.width + more, size.height + more, 2, true);
      const DeviceBuffer<In> input = upload(in.values);
      const DeviceBuffer<T> output = upload(expected.values);
      const DeviceBuffer<T> scratch =
          upload(std::vector<T>(integral_scratch(size.width, size.height)));
      TEST_ASSERT_OK(cpu::integral(in.in(), expected.out()));
      const ImageView<Space::device, const In> from = in.on_device(input.device_data());
      TEST_ASSERT_OK(
          integral(gpu->stream(), from, scratch, expected.on_device(output.device_data())));
      char text[100];
      name_case<T>(text, "integral", size);
      assert_equal_bits(expected.values, download(output, expected.values.size()), text);
    }
}
TEST(integrals_equal_the_cpu_bit_for_bit) {
  check_integrals<std::uint8_t, std::uint32_t>();
  check_integrals<std::uint32_t, std::uint32_t>();
  check_integrals<float, float>();
  check_integrals<double, double>();
  check_integrals<Float4, Float4>();
}

template <typename T>
void check_trees() {
  for (const Size2& size : kIntegralSizes)
    for (TreeForm form : {TreeForm::upright, TreeForm::transposed}) {
      const bool turned = form == TreeForm::transposed;
      const auto in = Array<T>::random(size.width, size.height, 1, false);
      auto expected = Array<T>::random(turned ? size.height : size.width,
                                       turned ? size.width : size.height, 2, true);
      const DeviceBuffer<T> input = upload(in.values), output = upload(expected.values);
      const DeviceBuffer<T> scratch =
          upload(std::vector<T>(tree_integral_scratch(size.width, size.height)));
      TEST_ASSERT_OK(cpu::tree_integral(in.in(), form, expected.out()));
      TEST_ASSERT_OK(tree_integral<T>(gpu->stream(), in.on_device(input.device_data()), form,
                                      scratch, expected.on_device(output.device_data())));
      char text[100];
      name_case<T>(text, "integral by trees", size);
      assert_equal_bits(expected.values, download(output, expected.values.size()), text);
    }
}
TEST(integrals_by_trees_equal_the_cpu_bit_for_bit) {
  check_trees<std::uint32_t>();
  check_trees<float>();
  check_trees<double>();
  check_trees<Float4>();
}

TEST(sums_refuse_on_the_gpu_too) {
  const DeviceBuffer<float> in = upload(std::vector<float>(64)),
                            out = upload(std::vector<float>(64)),
                            scratch = upload(std::vector<float>(1024)),
                            little = upload(std::vector<float>(1));
  using In = ImageView<Space::device, const float>;
  using Out = ImageView<Space::device, float>;
  const In from{in.device_data(), 4, 3, 4};
  const Out same{out.device_data(), 4, 3, 4}, larger{out.device_data(), 5, 4, 5};
  const StreamRef stream = gpu->stream();
  TEST_ASSERT_OK(scan_rows<float>(stream, from, ScanKind::inclusive, same));
  TEST_ASSERT_OK(integral(stream, from, scratch, larger));
  TEST_ASSERT_OK(tree_integral<float>(stream, from, TreeForm::upright, scratch, same));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    scan_rows<float>(stream, from, ScanKind::inclusive, larger));
  TEST_ASSERT_ERROR(Errc::invalid_argument, transpose<float>(stream, from, same));
  TEST_ASSERT_ERROR(Errc::invalid_argument, integral(stream, from, little, larger));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    integral(stream, from, scratch, Out{out.device_data(), 5, 3, 5}));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    tree_integral<float>(stream, from, TreeForm::upright, little, same));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    tree_integral<float>(stream, from, TreeForm::transposed, scratch, same));
}

}  // namespace

BEFORE_SUITE(words) { return kerb::test::open_gpu(); }

AFTER_SUITE() { gpu.reset(); }
