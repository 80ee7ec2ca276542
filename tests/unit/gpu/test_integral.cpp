// SPDX-License-Identifier: Apache-2.0
#ifdef KERB_OPENCV
#include <opencv2/imgproc.hpp>
#endif
#include <cstring>

#include "gpu/image/integral.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/arrays.hpp"

using namespace kerb;
using namespace kerb::test;

namespace {

struct Size2 {
  int width, height;
};
constexpr Size2 kIntegralSizes[] = {{1, 1},   {2, 1},   {1, 2},    {5, 3},    {15, 16}, {16, 17},
                                    {17, 33}, {256, 5}, {257, 16}, {300, 40}, {5, 300}};

template <typename T>
bool same(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

// Of the thesis, section 6.2.
TEST(the_example_of_the_thesis) {
  const float in[3][4] = {{2, 1, 3, 1}, {3, 2, 1, 1}, {4, 1, 3, 1}};
  const float expected[3][4] = {{0, 0, 0, 0}, {0, 2, 3, 6}, {0, 5, 8, 12}};
  float out[3][4] = {};
  const ImageView<Space::host, const float> from{in[0], 4, 3, 4};
  TEST_ASSERT_OK(cpu::integral(from, ImageView<Space::host, float>{out[0], 4, 3, 4}));
  TEST_ASSERT_TRUE(std::memcmp(expected, out, sizeof out) == 0);
  std::memset(out, 0xff, sizeof out);
  TEST_ASSERT_OK(
      cpu::tree_integral(from, TreeForm::upright, ImageView<Space::host, float>{out[0], 4, 3, 4}));
  TEST_ASSERT_TRUE(std::memcmp(expected, out, sizeof out) == 0);
}

template <typename In, typename T>
void check_whole_numbers() {
  for (const Size2& size : kIntegralSizes) {
    const auto in = Array<In>::random(size.width, size.height, 3, true);
    Array<T> large{size.width + 1, size.height + 1, 2}, small{size.width, size.height, 1};
    Array<T> trees = small;
    for (Array<T>* array : {&large, &small, &trees})
      std::memset(static_cast<void*>(array->values.data()), 0xa5, array->values.size() * sizeof(T));
    const Array<T> poison = large;
    TEST_ASSERT_OK(cpu::integral(in.in(), large.out()));
    TEST_ASSERT_OK(cpu::integral(in.in(), small.out()));
    Array<T> turned{size.height, size.width, 0};
    if constexpr (std::is_same_v<In, T>) {
      TEST_ASSERT_OK(cpu::tree_integral(in.in(), TreeForm::upright, trees.out()));
      TEST_ASSERT_OK(cpu::tree_integral(in.in(), TreeForm::transposed, turned.out()));
    }
    Array<T> expected{size.width + 1, size.height + 1, 0};
    for (int y = 0; y <= size.height; ++y) {
      T row{};
      for (int x = 0; x < large.stride; ++x) {
        if (x > size.width) {
          TEST_ASSERT_TRUE(same(poison.at(x, y), large.at(x, y)));
          continue;
        }
        if (x > 0 && y > 0) {
          row = row + static_cast<T>(in.at(x - 1, y - 1));
          expected.at(x, y) = expected.at(x, y - 1) + row;
        }
        const T e = expected.at(x, y);
        if (!same(e, large.at(x, y))) TEST_FAIL_MESSAGE("one larger");
        if (x >= size.width || y >= size.height) continue;
        if (!same(e, small.at(x, y))) TEST_FAIL_MESSAGE("of the same size");
        if constexpr (std::is_same_v<In, T>) {
          if (!same(e, trees.at(x, y))) TEST_FAIL_MESSAGE("by trees");
          if (!same(e, turned.at(y, x))) TEST_FAIL_MESSAGE("by trees, transposed");
        }
      }
    }
  }
}
TEST(integrals_of_whole_numbers_are_exact) {
  check_whole_numbers<std::uint8_t, std::uint32_t>();
  check_whole_numbers<std::uint32_t, std::uint32_t>();
  check_whole_numbers<float, float>();
  check_whole_numbers<double, double>();
  check_whole_numbers<Float4, Float4>();
}

TEST(integers_wrap_around_and_rectangles_are_right_all_the_same) {
  auto in = Array<std::uint32_t>::random(40, 30, 0, false);
  in.at(20, 10) = 5;
  in.at(21, 10) = 7;
  Array<std::uint32_t> out{41, 31, 0};
  TEST_ASSERT_OK(cpu::integral(in.in(), out.out()));
  TEST_ASSERT_EQUAL_UINT32(12u, out.at(22, 11) - out.at(20, 11) - out.at(22, 10) + out.at(20, 10));
}

/// R of integral.hpp, from scan.hpp's words.
template <typename T>
std::vector<T> scanned(const std::vector<T>& row) {
  std::vector<T> out(row.size());
  T groups{}, segments{}, sum{};
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i % kScanSegment == 0) {
      if (i > 0) segments = segments + sum;
      if (i > 0 && i % kScanGroup == 0) {
        groups = groups + segments;
        segments = T{};
      }
      sum = row[i];
    } else {
      sum = sum + row[i];
    }
    out[i] = (groups + segments) + sum;
  }
  return out;
}
template <typename T>
void check_order() {
  for (const Size2& size : kIntegralSizes) {
    const auto in = Array<T>::random(size.width, size.height, 1, false);
    Array<T> out{size.width + 1, size.height + 1, 0}, small{size.width, size.height, 0};
    TEST_ASSERT_OK(cpu::integral(in.in(), out.out()));
    TEST_ASSERT_OK(cpu::integral(in.in(), small.out()));
    const auto width = static_cast<std::size_t>(size.width);
    std::vector<T> earlier(width), columns(width);
    for (int y = 0; y < size.height; ++y) {
      if (y % 16 == 0) {
        for (std::size_t x = 0; x < width; ++x) earlier[x] = earlier[x] + columns[x];
        std::fill(columns.begin(), columns.end(), T{});
      }
      for (std::size_t x = 0; x < width; ++x)
        columns[x] = columns[x] + in.at(static_cast<int>(x), y);
      const std::vector<T> above = scanned(earlier), here = scanned(columns);
      for (std::size_t x = 0; x < width; ++x) {
        const int column = static_cast<int>(x) + 1;
        if (!same(above[x] + here[x], out.at(column, y + 1)))
          TEST_FAIL_MESSAGE("not the header's order");
        if (column < size.width && y + 1 < size.height &&
            !same(out.at(column, y + 1), small.at(column, y + 1)))
          TEST_FAIL_MESSAGE("the sizes differ in more than their last row and column");
      }
    }
  }
}
TEST(integrals_add_in_the_order_their_header_says) {
  check_order<float>();
  check_order<double>();
  check_order<Float4>();
}

/// Sums of a tree's left halves on the way down to each leaf.
void descend(const std::vector<float>& leaves, std::size_t first, std::size_t size, float before,
             std::vector<float>& out) {
  if (size == 1) {
    out[first] = before;
    return;
  }
  const auto sum = [&](auto&& self, std::size_t from, std::size_t count) -> float {
    if (count == 1) return leaves[from];
    return self(self, from, count / 2) + self(self, from + count / 2, count / 2);
  };
  descend(leaves, first, size / 2, before, out);
  descend(leaves, first + size / 2, size / 2, before + sum(sum, first, size / 2), out);
}
TEST(tree_scans_add_in_the_order_of_the_trees) {
  // One row: the scan of columns adds 0 to 0 alone. So two rows, of which the second shows it.
  const int width = 1100;
  const auto in = Array<float>::random(width, 2, 0, false);
  Array<float> out{width, 2, 0};
  TEST_ASSERT_OK(cpu::tree_integral(in.in(), TreeForm::upright, out.out()));
  const std::size_t segments = 3;
  std::vector<float> expected(segments * 512), totals(512), starts(512);
  for (std::size_t s = 0; s < segments; ++s) {
    std::vector<float> leaves(512), scan(512);
    for (std::size_t i = 0; i < 512 && s * 512 + i < width; ++i)
      leaves[i] = in.at(static_cast<int>(s * 512 + i), 0);
    descend(leaves, 0, 512, 0, scan);
    std::copy(scan.begin(), scan.end(), expected.begin() + static_cast<long>(s * 512));
    std::vector<float> level = leaves;  // the segment's sum, pair by pair
    while (level.size() > 1) {
      std::vector<float> next;
      for (std::size_t i = 0; i < level.size(); i += 2) next.push_back(level[i] + level[i + 1]);
      level = next;
    }
    totals[s] = level[0];
  }
  descend(totals, 0, 512, 0, starts);
  for (int x = 0; x < width; ++x) {
    const auto i = static_cast<std::size_t>(x);
    const float e = x < 512 ? expected[i] : expected[i] + starts[i / 512];
    if (!same(e, out.at(x, 1))) TEST_ASSERT_EQUAL_FLOAT(e, out.at(x, 1));
    TEST_ASSERT_TRUE(out.at(x, 0) == 0.0f);
  }
}

TEST(integrals_refuse_what_their_contract_refuses) {
  float in[64] = {}, out[64] = {};
  using In = ImageView<Space::host, const float>;
  using Out = ImageView<Space::host, float>;
  TEST_ASSERT_OK(cpu::integral(In{in, 4, 3, 4}, Out{out, 5, 4, 5}));
  for (const In& bad :
       {In{nullptr, 4, 3, 4}, In{in, 0, 3, 4}, In{in, 4, 3, 3}, In{in, 65537, 1, 65537}})
    TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::integral(bad, Out{out, 5, 4, 5}));
  for (const Out& bad : {Out{nullptr, 5, 4, 5}, Out{out, 5, 3, 5}, Out{out, 4, 4, 5},
                         Out{out, 6, 5, 6}, Out{out, 5, 4, 4}, Out{out, 3, 2, 3}})
    TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::integral(In{in, 4, 3, 4}, bad));
  const In good{in, 4, 3, 4};
  for (const Out& bad : {Out{nullptr, 4, 3, 4}, Out{out, 3, 4, 3}, Out{out, 4, 3, 3}})
    TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::tree_integral(good, TreeForm::upright, bad));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    cpu::tree_integral(good, TreeForm::transposed, Out{out, 4, 3, 4}));
  TEST_ASSERT_EQUAL(0, integral_scratch(0, 4));
  TEST_ASSERT_EQUAL(0, tree_integral_scratch(4, -1));
}

#ifdef KERB_OPENCV
TEST(integrals_equal_opencvs) {
  const auto bytes = Array<std::uint8_t>::random(131, 77, 5, false);
  const cv::Mat from(77, 131, CV_8U, const_cast<std::uint8_t*>(bytes.values.data()),
                     static_cast<std::size_t>(bytes.stride));
  cv::Mat sums;
  cv::integral(from, sums, CV_32S);
  Array<std::uint32_t> out{132, 78, 0};
  TEST_ASSERT_OK(cpu::integral(bytes.in(), out.out()));
  for (int y = 0; y <= 77; ++y)
    for (int x = 0; x <= 131; ++x)
      TEST_ASSERT_EQUAL_UINT32(static_cast<std::uint32_t>(sums.at<int>(y, x)), out.at(x, y));
}
#endif

}  // namespace
