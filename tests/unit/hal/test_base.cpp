// SPDX-License-Identifier: Apache-2.0
// Text, Result, pixel formats and views: what every folder speaks.
#include <cerrno>
#include <memory>
#include <string>

#include "hal/base/pixel_format.hpp"
#include "hal/base/result.hpp"
#include "hal/base/text.hpp"
#include "hal/base/view.hpp"
#include "tests/support/test.hpp"

namespace {

using namespace kerb;

TEST(text_holds_what_fits_and_cuts_the_rest) {
  const Text<5> empty;
  TEST_ASSERT_TRUE(empty.empty());
  TEST_ASSERT_EQUAL_STRING("", empty.c_str());
  TEST_ASSERT_EQUAL_STRING("abcde", Text<5>{"abcde"}.c_str());
  TEST_ASSERT_EQUAL_STRING("abcde", Text<5>{"abcdefgh"}.c_str());
  TEST_ASSERT_EQUAL_STRING("", Text<5>{static_cast<const char*>(nullptr)}.c_str());
  TEST_ASSERT_EQUAL(2, Text<5>{std::string_view{"ab"}}.view().size());
}

TEST(text_appends_up_to_its_end) {
  Text<5> text{"ab"};
  TEST_ASSERT_EQUAL_STRING("abc", text.append("c").c_str());
  TEST_ASSERT_EQUAL_STRING("abcde", text.append("defgh").c_str());
  TEST_ASSERT_EQUAL_STRING("abcde", text.append("x").c_str());
  text.assign("new");
  TEST_ASSERT_EQUAL_STRING("new", text.c_str());
  text.assign({});
  TEST_ASSERT_TRUE(text.empty());
}

TEST(texts_are_equal_by_what_they_say) {
  Text<8> one{"abcdef"};
  one.assign("abc");  // what stood behind it does not count
  TEST_ASSERT_TRUE(one == Text<8>{"abc"});
  TEST_ASSERT_FALSE(one == Text<8>{"abd"});
  TEST_ASSERT_FALSE(one == Text<8>{"ab"});
}

TEST(a_result_holds_a_value_or_an_error) {
  const Result<int> value{7};
  TEST_ASSERT_TRUE(static_cast<bool>(value));
  TEST_ASSERT_EQUAL(7, *value);
  const Result<int> error{Error{Errc::gone, 5, "read"}};
  TEST_ASSERT_FALSE(static_cast<bool>(error));
  TEST_ASSERT_EQUAL(5, error.error().native);
  const Status done = Done{};
  TEST_ASSERT_OK(done);
}

TEST(a_result_gives_a_move_only_value_away) {
  Result<std::unique_ptr<int>> result{std::make_unique<int>(3)};
  TEST_ASSERT_EQUAL(3, **result);
  TEST_ASSERT_EQUAL(3, *result->get());
  const std::unique_ptr<int> taken = *std::move(result);
  TEST_ASSERT_EQUAL(3, *taken);
  TEST_ASSERT_NULL(result->get());
}

TEST(an_error_is_one_line_for_a_person) {
  struct Case {
    Error error;
    const char* expected;
  };
  const Case cases[] = {
      {{Errc::not_found, ENOENT, "open camera", "/dev/video9"},
       "open camera: /dev/video9: No such file or directory"},
      {{Errc::timeout, 0, "wait for frame"}, "wait for frame"},
      {{Errc::io, 0, "", "/dev/x"}, "/dev/x"},
      {{Errc::io, EIO, "read"}, "read: Input/output error"},
      {{Errc::device, 2, "launch"}, "launch: CUDA error 2"},
      {{Errc::end}, "end"},
  };
  for (const Case& c : cases) TEST_ASSERT_EQUAL_STRING(c.expected, describe(c.error).c_str());
}

TEST(every_error_code_has_a_name_of_its_own) {
  std::string seen = " ";
  for (int i = 0; i <= static_cast<int>(Errc::end); ++i) {
    const std::string name = name_of(static_cast<Errc>(i));
    TEST_ASSERT_NOT_EQUAL(0, name.compare("unknown"));
    TEST_ASSERT_TRUE(seen.find(" " + name + " ") == std::string::npos);
    seen += name + " ";
  }
}

TEST(pixel_formats_are_what_their_table_says) {
  struct Case {
    PixelFormat format;
    const char* name;
    int bits, bytes_of_10_pixels;
    bool single, odd_width, odd_height;
  };
  const Case cases[] = {
      {PixelFormat::grey8, "grey8", 8, 10, true, true, true},
      {PixelFormat::grey10, "grey10", 10, 20, true, true, true},
      {PixelFormat::grey12, "grey12", 12, 20, true, true, true},
      {PixelFormat::grey14, "grey14", 14, 20, true, true, true},
      {PixelFormat::grey16, "grey16", 16, 20, true, true, true},
      {PixelFormat::yuyv, "yuyv", 8, 20, false, false, true},
      {PixelFormat::uyvy, "uyvy", 8, 20, false, false, true},
      {PixelFormat::nv12, "nv12", 8, 10, false, false, false},
      {PixelFormat::rgb24, "rgb24", 8, 30, false, true, true},
      {PixelFormat::bgr24, "bgr24", 8, 30, false, true, true},
      {PixelFormat::bayer8, "bayer8", 8, 10, true, false, false},
      {PixelFormat::bayer10, "bayer10", 10, 20, true, false, false},
      {PixelFormat::bayer12, "bayer12", 12, 20, true, false, false},
  };
  TEST_ASSERT_EQUAL(static_cast<int>(PixelFormat::bayer12) + 1, std::size(cases));
  for (const Case& c : cases) {
    TEST_ASSERT_EQUAL_STRING(c.name, name_of(c.format));
    PixelFormat parsed = c.format == PixelFormat::grey8 ? PixelFormat::nv12 : PixelFormat::grey8;
    TEST_ASSERT_TRUE_MESSAGE(parse(c.name, parsed), c.name);
    TEST_ASSERT_TRUE_MESSAGE(parsed == c.format, c.name);
    TEST_ASSERT_EQUAL_MESSAGE(c.bits, bit_depth(c.format), c.name);
    TEST_ASSERT_EQUAL_MESSAGE(c.bytes_of_10_pixels, min_row_bytes(c.format, 10), c.name);
    TEST_ASSERT_EQUAL_MESSAGE(c.single, is_single_sample(c.format), c.name);
    TEST_ASSERT_TRUE_MESSAGE(size_fits(c.format, 10, 10), c.name);
    TEST_ASSERT_EQUAL_MESSAGE(c.odd_width, size_fits(c.format, 11, 10), c.name);
    TEST_ASSERT_EQUAL_MESSAGE(c.odd_height, size_fits(c.format, 10, 11), c.name);
    TEST_ASSERT_FALSE_MESSAGE(size_fits(c.format, 0, 10), c.name);
    TEST_ASSERT_FALSE_MESSAGE(size_fits(c.format, 10, -2), c.name);
  }
}

TEST(an_unknown_format_name_changes_nothing) {
  PixelFormat format = PixelFormat::uyvy;
  for (const char* name : {"", "grey", "GREY8", "grey8 ", "mjpeg", "auto"})
    TEST_ASSERT_FALSE(parse(name, format));
  TEST_ASSERT_TRUE(format == PixelFormat::uyvy);
}

TEST(bayer_orders_are_named_row_by_row) {
  TEST_ASSERT_EQUAL_STRING("rggb", name_of(BayerOrder::rggb));
  TEST_ASSERT_EQUAL_STRING("bggr", name_of(BayerOrder::bggr));
  TEST_ASSERT_EQUAL_STRING("grbg", name_of(BayerOrder::grbg));
  TEST_ASSERT_EQUAL_STRING("gbrg", name_of(BayerOrder::gbrg));
}

TEST(a_plane_is_an_image_of_its_own) {
  std::uint16_t samples[24] = {};
  const PlanesView<Space::host, std::uint16_t> planes{samples, 2, 3, 4, 3, 12};
  const PlanesView<Space::host, const std::uint16_t> read_only = planes;
  const ImageView<Space::host, const std::uint16_t> second = read_only.plane(1);
  TEST_ASSERT_EQUAL_PTR(samples + 12, second.data);
  TEST_ASSERT_EQUAL(3, second.width);
  TEST_ASSERT_EQUAL(4, second.height);
  TEST_ASSERT_EQUAL(3, second.row_stride);
}

}  // namespace
