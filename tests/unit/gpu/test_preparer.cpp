// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/preparer.hpp"
#include "gpu/image/to_rgb.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/oracle.hpp"
#include "tests/unit/gpu/pictures.hpp"

using namespace kerb;
using namespace kerb::test;

namespace {

FrameSourceInfo source_of(const RawImageView<Space::host>& in) {
  FrameSourceInfo info;
  info.name = "test";
  info.format = in.format;
  info.bayer = in.bayer;
  info.mosaic = in.mosaic;
  info.width = in.width;
  info.height = in.height;
  return info;
}

void check_prepared(const RawImageView<Space::host>& in, const PreparedImage& out,
                    const char* name) {
  TEST_ASSERT_EQUAL_MESSAGE(in.width, out.grey.width, name);
  TEST_ASSERT_EQUAL_MESSAGE(in.height, out.grey.height, name);
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x)
      if (out.grey.data[y * out.grey.row_stride + x] != grey_by_definition(in, x, y))
        TEST_FAIL_MESSAGE(name);
  TEST_ASSERT_EQUAL_MESSAGE(in.mosaic * in.mosaic, out.bands.count, name);
  for (int band = 0; band < out.bands.count; ++band)
    for (int y = 0; y < out.bands.height; ++y)
      for (int x = 0; x < out.bands.width; ++x)
        if (out.bands.plane(band).data[y * out.bands.row_stride + x] !=
            band_by_definition(in, band, x, y))
          TEST_FAIL_MESSAGE(name);
}

TEST(preparer_gives_grey_and_bands_of_every_kind_of_camera) {
  Result<Context> context = Context::create(BackendChoice::cpu);
  TEST_ASSERT_OK(context);
  GpuFrameMemory frames{*context};
  for (PixelFormat format : kAllFormats)
    for (int mosaic : {0, 3, 4}) {
      if (mosaic != 0 && !is_single_sample(format)) continue;
      const Picture picture{format, 130, 50, 6, mosaic, BayerOrder::gbrg};
      auto preparer = Preparer::create(*context, &frames, source_of(picture.view));
      TEST_ASSERT_OK(preparer);
      TEST_ASSERT_EQUAL_STRING("cpu", (*preparer)->backend());
      Result<PreparedImage> out = (*preparer)->prepare(picture.view);
      TEST_ASSERT_OK(out);
      check_prepared(picture.view, *out, picture.name().c_str());
      TEST_ASSERT_NULL((*preparer)->device_grey().data);
      TEST_ASSERT_NULL(out->device_grey.data);
      TEST_ASSERT_NULL(out->rgb.data);  // nobody asked for it
      TEST_ASSERT_NULL(out->device_rgb.data);
    }
}

TEST(preparer_gives_colours_to_who_asks_for_them) {
  Result<Context> context = Context::create(BackendChoice::cpu);
  TEST_ASSERT_OK(context);
  for (PixelFormat format : kAllFormats) {
    const Picture picture{format, 130, 50, 6, 0, BayerOrder::gbrg};
    auto preparer = Preparer::create(*context, nullptr, source_of(picture.view), true);
    TEST_ASSERT_OK(preparer);
    Result<PreparedImage> out = (*preparer)->prepare(picture.view);
    TEST_ASSERT_OK(out);
    check_prepared(picture.view, *out, picture.name().c_str());  // grey is as ever
    std::vector<std::uint8_t> planes(3 * 130 * 50);
    TEST_ASSERT_OK(cpu::to_rgb(picture.view, {planes.data(), 3, 130, 50, 130, 130 * 50}));
    TEST_ASSERT_EQUAL_INT(3, out->rgb.count);
    TEST_ASSERT_EQUAL_INT(130, out->rgb.width);
    TEST_ASSERT_EQUAL_INT(50, out->rgb.height);
    for (int c = 0; c < 3; ++c)
      for (int y = 0; y < 50; ++y)
        TEST_ASSERT_EQUAL_MEMORY_MESSAGE(planes.data() + (c * 50 + y) * 130,
                                         out->rgb.plane(c).data + y * out->rgb.row_stride, 130,
                                         picture.name().c_str());
    TEST_ASSERT_NULL(out->device_rgb.data);
  }
}

TEST(preparer_knows_where_there_is_no_colour) {
  Result<Context> context = Context::create(BackendChoice::cpu);
  const Picture mosaic{PixelFormat::grey8, 64, 48, 0, 4};
  TEST_ASSERT_ERROR(Errc::unsupported,
                    Preparer::create(*context, nullptr, source_of(mosaic.view), true));
  const Picture nv12{PixelFormat::nv12, 64, 48, 0};
  auto preparer = Preparer::create(*context, nullptr, source_of(nv12.view), true);
  TEST_ASSERT_OK(preparer);
  RawImageView<Space::host> no_chroma = nv12.view;
  no_chroma.chroma = nullptr;
  TEST_ASSERT_ERROR(Errc::invalid_argument, (*preparer)->prepare(no_chroma));
  TEST_ASSERT_OK((*preparer)->prepare(nv12.view));
  auto grey = Preparer::create(*context, nullptr, source_of(nv12.view));
  TEST_ASSERT_OK(grey);
  TEST_ASSERT_OK((*grey)->prepare(no_chroma));  // which does not read it
}

TEST(preparer_allocates_nothing_per_frame) {
  Result<Context> context = Context::create(BackendChoice::cpu);
  const Picture first{PixelFormat::grey12, 320, 240, 0, 4},
      second{PixelFormat::grey12, 320, 240, 8, 4};
  auto preparer = Preparer::create(*context, nullptr, source_of(first.view));
  TEST_ASSERT_OK(preparer);
  const std::uint64_t before = allocations();
  bool good = true;
  for (int i = 0; i < 20; ++i)
    good &= bool{(*preparer)->prepare((i % 2 == 0 ? first : second).view)};
  const std::uint64_t after = allocations();
  TEST_ASSERT_TRUE(good);
  TEST_ASSERT_EQUAL(before, after);
  TEST_ASSERT_GREATER_THAN(0, before);  // the counter does count

  const Picture colour{PixelFormat::nv12, 320, 240, 0};
  auto painter = Preparer::create(*context, nullptr, source_of(colour.view), true);
  TEST_ASSERT_OK(painter);
  const std::uint64_t made = allocations();
  for (int i = 0; i < 20; ++i) good &= bool{(*painter)->prepare(colour.view)};
  TEST_ASSERT_EQUAL(made, allocations());
  TEST_ASSERT_TRUE(good);
}

TEST(preparer_refuses_other_pictures_than_it_was_made_for) {
  Result<Context> context = Context::create(BackendChoice::cpu);
  const Picture picture{PixelFormat::grey10, 64, 48, 0, 3};
  auto preparer = Preparer::create(*context, nullptr, source_of(picture.view));
  TEST_ASSERT_OK(preparer);
  const auto refused = [&](auto change) {
    RawImageView<Space::host> in = picture.view;
    change(in);
    TEST_ASSERT_ERROR(Errc::invalid_argument, (*preparer)->prepare(in));
  };
  refused([](auto& in) { in.width = 62; });
  refused([](auto& in) { in.height = 47; });
  refused([](auto& in) { in.format = PixelFormat::grey12; });
  refused([](auto& in) { in.mosaic = 4; });
  refused([](auto& in) { in.data = nullptr; });
  refused([](auto& in) { in.row_stride = 100; });
  refused([](auto& in) { in.row_stride = 129; });
  TEST_ASSERT_OK((*preparer)->prepare(picture.view));  // and still works
}

TEST(preparer_is_not_made_for_impossible_cameras) {
  Result<Context> context = Context::create(BackendChoice::cpu);
  const FrameSourceInfo good = source_of(Picture{PixelFormat::nv12, 64, 48, 0}.view);
  const auto refused = [&](auto change) {
    FrameSourceInfo info = good;
    change(info);
    TEST_ASSERT_ERROR(Errc::invalid_argument, Preparer::create(*context, nullptr, info));
  };
  refused([](auto& i) { i.width = 0; });
  refused([](auto& i) { i.height = 47; });
  refused([](auto& i) { i.mosaic = 3; });
  refused([](auto& i) { i.format = PixelFormat::grey8, i.mosaic = 9; });
  refused([](auto& i) { i.width = 1 << 20; });
}

}  // namespace
