// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "gpu/image/counts.hpp"
#include "gpu/image/preparer.hpp"
#include "gpu/image/split_mosaic.hpp"
#include "gpu/image/to_grey.hpp"
#include "tests/gpu/device.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/pictures.hpp"

using namespace kerb;
using namespace kerb::test;

namespace {

constexpr std::uint8_t kPoison = 0xa5;
constexpr std::size_t kRoom = std::size_t{1}
                              << 22;  // bytes: more than any picture of the table takes

DeviceBuffer<std::uint8_t> input, output;  // kRoom each

/// The picture at the same distance from an aligned address as on the host, and the view of it.
RawImageView<Space::device> upload(const Picture& picture) {
  TEST_ASSERT_TRUE(picture.bytes.size() <= kRoom);
  TEST_ASSERT_OK(copy_to_device(gpu->stream(), input.device_data(), picture.bytes.data(),
                                picture.bytes.size()));
  const RawImageView<Space::host>& in = picture.view;
  RawImageView<Space::device> view;
  view.data = input.device_data() + picture.offset;
  view.width = in.width;
  view.height = in.height;
  view.row_stride = in.row_stride;
  view.format = in.format;
  view.bayer = in.bayer;
  view.mosaic = in.mosaic;
  return view;
}

void poison_output(std::size_t bytes) {
  TEST_ASSERT_TRUE(bytes <= kRoom);
  TEST_ASSERT_OK(runtime::fill(gpu->stream().get(), output.device_data(), kPoison, bytes));
}

std::vector<std::uint8_t> download(std::size_t bytes) {
  std::vector<std::uint8_t> out(bytes);
  TEST_ASSERT_OK(copy_to_host(gpu->stream(), out.data(), output.device_data(), bytes));
  TEST_ASSERT_OK(wait(gpu->stream()));
  return out;
}

void check_to_grey(const Picture& picture, int slack, int shift) {
  const int width = picture.view.width, height = picture.view.height, stride = width + slack;
  const std::size_t bytes = static_cast<std::size_t>(shift + stride * height + 16);
  std::vector<std::uint8_t> expected(bytes, kPoison);
  TEST_ASSERT_OK(cpu::to_grey(picture.view, {expected.data() + shift, width, height, stride}));
  poison_output(bytes);
  TEST_ASSERT_OK(to_grey(gpu->stream(), upload(picture),
                         {output.device_data() + shift, width, height, stride}));
  const std::vector<std::uint8_t> actual = download(bytes);
  // memcmp first: Unity walks byte by byte
  if (std::memcmp(expected.data(), actual.data(), bytes) != 0)
    TEST_ASSERT_EQUAL_UINT8_ARRAY_MESSAGE(expected.data(), actual.data(), bytes,
                                          picture.name().c_str());
}

TEST(to_grey_equals_the_cpu_bit_for_bit) {
  int cases = 0;
  each_picture([&](const Picture& picture) {
    check_to_grey(picture, cases % 3, 0);
    ++cases;
  });
  std::printf("%d pictures\n", cases);
}

// Words are read and written four pixels at a time only where they are aligned.
TEST(to_grey_copes_with_every_alignment) {
  for (PixelFormat format : kAllFormats)
    for (std::size_t skip = 0; skip < 9; ++skip) {
      if (bit_depth(format) > 8 && skip % 2 != 0) continue;
      for (int padding : {0, 1, 2, 3, 4, 6, 8})
        for (int shift = 0; shift < 5; ++shift)
          check_to_grey(Picture{format, 134, 10, padding_for(format, padding), 0, BayerOrder::grbg,
                                skip + 1, skip},
                        padding % 4, shift);
    }
}

TEST(split_mosaic_equals_the_cpu_bit_for_bit) {
  each_picture([](const Picture& picture) {
    const int n = picture.view.mosaic;
    if (n == 0) return;
    const int width = picture.view.width / n, height = picture.view.height / n;
    const int stride = width + 3, plane = stride * height + 5;
    std::vector<std::uint16_t> expected(static_cast<std::size_t>(plane * n * n), 0xa5a5);
    TEST_ASSERT_OK(
        cpu::split_mosaic(picture.view, {expected.data(), n * n, width, height, stride, plane}));
    const std::size_t bytes = expected.size() * 2;
    poison_output(bytes);
    TEST_ASSERT_OK(split_mosaic(gpu->stream(), upload(picture),
                                {reinterpret_cast<std::uint16_t*>(output.device_data()), n * n,
                                 width, height, stride, plane}));
    const std::vector<std::uint8_t> actual = download(bytes);
    if (std::memcmp(expected.data(), actual.data(), bytes) != 0)
      TEST_FAIL_MESSAGE(picture.name().c_str());
  });
}

bool has_counts(const Picture& picture) {
  return bit_depth(picture.view.format) > 8 && !is_bayer(picture.view.format) &&
         picture.view.mosaic == 0;
}

TEST(counts_equal_the_cpu_bit_for_bit) {
  int cases = 0;
  each_picture([&](const Picture& picture) {
    if (!has_counts(picture)) return;
    const RawImageView<Space::host>& in = picture.view;
    const std::size_t bins = std::size_t{1} << bit_depth(in.format);
    std::vector<std::uint32_t> expected(bins), actual(bins);
    TEST_ASSERT_OK(cpu::count_samples(in, expected.data()));
    poison_output(4 * bins);
    auto* histogram = reinterpret_cast<std::uint32_t*>(output.device_data());
    TEST_ASSERT_OK(count_samples(gpu->stream(), upload(picture), histogram));
    TEST_ASSERT_OK(copy_to_host(gpu->stream(), actual.data(), histogram, bins));
    TEST_ASSERT_OK(wait(gpu->stream()));
    TEST_ASSERT_TRUE_MESSAGE(expected == actual, picture.name().c_str());

    for (const CountMap& map : {CountMap{0, 65535}, CountMap{300, 255}, CountMap{77, 900}}) {
      const int stride = in.width + cases % 4;
      const std::size_t bytes = static_cast<std::size_t>(stride * in.height);
      std::vector<std::uint8_t> levels(bytes, kPoison);
      TEST_ASSERT_OK(cpu::map_counts(in, map, {levels.data(), in.width, in.height, stride}));
      poison_output(bytes);
      TEST_ASSERT_OK(map_counts(gpu->stream(), upload(picture), map,
                                {output.device_data(), in.width, in.height, stride}));
      TEST_ASSERT_TRUE_MESSAGE(levels == download(bytes), picture.name().c_str());
    }
    ++cases;
  });
  std::printf("%d pictures\n", cases);
  TEST_ASSERT_TRUE(cases > 100);
}

TEST(a_picture_of_one_count_is_counted_whole) {  // every thread adds to the same place
  Picture picture{PixelFormat::grey14, 641, 359, 0};
  std::fill(picture.bytes.begin(), picture.bytes.end(), std::uint8_t{0x11});
  std::vector<std::uint32_t> actual(1 << 14);
  auto* histogram = reinterpret_cast<std::uint32_t*>(output.device_data());
  TEST_ASSERT_OK(count_samples(gpu->stream(), upload(picture), histogram));
  TEST_ASSERT_OK(copy_to_host(gpu->stream(), actual.data(), histogram, actual.size()));
  TEST_ASSERT_OK(wait(gpu->stream()));
  for (std::size_t c = 0; c < actual.size(); ++c)
    TEST_ASSERT_EQUAL_UINT32(c == 0x1111 ? 641 * 359 : 0, actual[c]);
}

TEST(operators_refuse_on_the_gpu_what_they_refuse_on_the_cpu) {
  const Picture picture{PixelFormat::grey8, 16, 8, 0, 3};
  const RawImageView<Space::device> good = upload(picture);
  std::uint8_t* grey = output.device_data();
  auto* planes = reinterpret_cast<std::uint16_t*>(output.device_data());
  TEST_ASSERT_OK(to_grey(gpu->stream(), good, {grey, 16, 8, 16}));
  TEST_ASSERT_OK(split_mosaic(gpu->stream(), good, {planes, 9, 5, 2, 5, 10}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, to_grey(gpu->stream(), good, {grey, 16, 7, 16}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, to_grey(gpu->stream(), {}, {grey, 16, 8, 16}));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    split_mosaic(gpu->stream(), good, {planes, 9, 5, 2, 5, 9}));
  RawImageView<Space::device> plain = good;
  plain.mosaic = 0;
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    split_mosaic(gpu->stream(), plain, {planes, 9, 5, 2, 5, 10}));
  TEST_ASSERT_OK(wait(gpu->stream()));
}

FrameSourceInfo source_of(const RawImageView<Space::host>& in) {
  FrameSourceInfo info;
  info.format = in.format;
  info.bayer = in.bayer;
  info.mosaic = in.mosaic;
  info.width = in.width;
  info.height = in.height;
  return info;
}

/// Equal results of a preparer on `context` and one on the CPU; the frame lies in `frames`, or
/// outside.
void check_preparer(const Context& context, GpuFrameMemory& frames, const Picture& picture,
                    bool inside, bool expect_zero_copy) {
  Result<Context> cpu_context = Context::create(BackendChoice::cpu);
  const bool colour = picture.view.mosaic == 0;
  auto reference = Preparer::create(*cpu_context, nullptr, source_of(picture.view), colour);
  auto preparer = Preparer::create(context, &frames, source_of(picture.view), colour);
  TEST_ASSERT_OK(reference);
  TEST_ASSERT_OK(preparer);
  TEST_ASSERT_EQUAL_STRING("cuda", (*preparer)->backend());
  Result<MemoryBlock> block = frames.allocate(picture.bytes.size());
  TEST_ASSERT_OK(block);
  RawImageView<Space::host> view = picture.view;
  if (inside) {
    std::memcpy(block->data(), picture.bytes.data(), picture.bytes.size());
    view.data = block->data() + picture.offset;
    if (view.chroma != nullptr)
      view.chroma = block->data() + (picture.view.chroma - picture.bytes.data());
  }
  Result<PreparedImage> expected = (*reference)->prepare(picture.view);
  TEST_ASSERT_OK(expected);
  for (int round = 0; round < 2; ++round) {
    Result<PreparedImage> actual = (*preparer)->prepare(view);
    TEST_ASSERT_OK(actual);
    TEST_ASSERT_EQUAL_MESSAGE(expect_zero_copy, (*preparer)->was_zero_copy(),
                              picture.name().c_str());
    for (int y = 0; y < view.height; ++y)
      if (std::memcmp(expected->grey.data + y * expected->grey.row_stride,
                      actual->grey.data + y * actual->grey.row_stride,
                      static_cast<std::size_t>(view.width)) != 0)
        TEST_FAIL_MESSAGE(picture.name().c_str());
    TEST_ASSERT_EQUAL(expected->rgb.count, actual->device_rgb.count);
    TEST_ASSERT_EQUAL(expected->rgb.count, actual->rgb.count);
    std::vector<std::uint8_t> row(static_cast<std::size_t>(view.width));
    for (int c = 0; c < actual->device_rgb.count; ++c)
      for (int y = 0; y < view.height; ++y) {
        const auto plane = actual->device_rgb.plane(c);
        TEST_ASSERT_OK(copy_to_host(context.stream(), row.data(), plane.data + y * plane.row_stride,
                                    row.size()));
        TEST_ASSERT_OK(wait(context.stream()));
        const std::uint8_t* right = expected->rgb.plane(c).data + y * expected->rgb.row_stride;
        const std::uint8_t* read = actual->rgb.plane(c).data + y * actual->rgb.row_stride;
        if (std::memcmp(right, row.data(), row.size()) != 0 ||
            std::memcmp(right, read, row.size()) != 0)
          TEST_FAIL_MESSAGE(picture.name().c_str());
      }
    TEST_ASSERT_EQUAL(expected->bands.count, actual->bands.count);
    for (int band = 0; band < actual->bands.count; ++band)
      for (int y = 0; y < actual->bands.height; ++y)
        if (std::memcmp(expected->bands.plane(band).data + y * expected->bands.row_stride,
                        actual->bands.plane(band).data + y * actual->bands.row_stride,
                        static_cast<std::size_t>(actual->bands.width) * 2) != 0)
          TEST_FAIL_MESSAGE(picture.name().c_str());
  }
}

void check_preparer_on_all_cameras(const Context& context, bool inside, bool expect_zero_copy) {
  GpuFrameMemory frames{context};
  for (PixelFormat format : kAllFormats)
    for (int mosaic : {0, 3, 4}) {
      if (mosaic != 0 && !is_single_sample(format)) continue;
      check_preparer(context, frames, Picture{format, 322, 102, 10, mosaic, BayerOrder::bggr},
                     inside, expect_zero_copy);
    }
}

TEST(preparer_equals_the_cpu_with_this_devices_own_policy) {
  check_preparer_on_all_cameras(*gpu, true, !gpu->policy().camera_input.transfer);
  check_preparer_on_all_cameras(*gpu, false, false);  // a camera that insisted on its own buffers
}

TEST(preparer_equals_the_cpu_with_and_without_copies) {
  for (bool transfer : {false, true}) {
    Result<Context> context = Context::create(BackendChoice::cuda);
    TEST_ASSERT_OK(context);
    MemoryPolicy policy = context->policy();
    policy.camera_input.transfer = policy.result.transfer = transfer;
    context->use_policy(policy);
    check_preparer_on_all_cameras(*context, true, !transfer);
  }
}

/// Pictures one after the other, as the range remembers them.
TEST(preparer_with_a_range_equals_the_cpu_from_picture_to_picture) {
  Result<Context> cpu_context = Context::create(BackendChoice::cpu);
  const CountRangeSettings settings{50, 50, 200, 5, 3};
  for (const bool transfer : {false, true}) {
    Result<Context> context = Context::create(BackendChoice::cuda);
    TEST_ASSERT_OK(context);
    MemoryPolicy policy = context->policy();
    policy.camera_input.transfer = policy.result.transfer = transfer;
    context->use_policy(policy);
    for (PixelFormat format : kAllFormats) {
      const Picture first{format, 322, 102, 10};
      if (!has_counts(first)) continue;
      auto reference =
          Preparer::create(*cpu_context, nullptr, source_of(first.view), false, &settings);
      auto preparer = Preparer::create(*context, nullptr, source_of(first.view), false, &settings);
      TEST_ASSERT_OK(reference);
      TEST_ASSERT_OK(preparer);
      for (std::uint64_t frame = 0; frame < 12; ++frame) {
        Picture picture{format, 322, 102, 10, 0, BayerOrder::rggb, frame / 2};  // each twice
        if (frame >= 6 && frame < 8)                                            // a closed shutter
          std::fill(picture.bytes.begin(), picture.bytes.end(), std::uint8_t{0x21});
        const Result<PreparedImage> expected = (*reference)->prepare(picture.view);
        const Result<PreparedImage> actual = (*preparer)->prepare(picture.view);
        TEST_ASSERT_OK(expected);
        TEST_ASSERT_OK(actual);
        TEST_ASSERT_EQUAL_UINT32((*reference)->count_map()->low, (*preparer)->count_map()->low);
        TEST_ASSERT_EQUAL_UINT32((*reference)->count_map()->span, (*preparer)->count_map()->span);
        for (int y = 0; y < expected->grey.height; ++y)
          if (std::memcmp(expected->grey.data + y * expected->grey.row_stride,
                          actual->grey.data + y * actual->grey.row_stride,
                          static_cast<std::size_t>(expected->grey.width)) != 0)
            TEST_FAIL_MESSAGE(picture.name().c_str());
      }
    }
  }
}

TEST(preparer_leaves_its_result_on_the_device_too) {
  const Picture picture{PixelFormat::grey8, 322, 102, 0, 0};
  auto preparer = Preparer::create(*gpu, nullptr, source_of(picture.view));
  TEST_ASSERT_OK(preparer);
  const Result<PreparedImage> prepared = (*preparer)->prepare(picture.view);
  TEST_ASSERT_OK(prepared);
  const ImageView<Space::device, const std::uint8_t> grey = prepared->device_grey;
  TEST_ASSERT_EQUAL_PTR((*preparer)->device_grey().data, grey.data);
  // On another stream than the preparer's own: it has waited.
  std::vector<std::uint8_t> row(static_cast<std::size_t>(grey.width));
  TEST_ASSERT_OK(
      copy_to_host(gpu->stream(), row.data(), grey.data + 57 * grey.row_stride, row.size()));
  TEST_ASSERT_OK(wait(gpu->stream()));
  TEST_ASSERT_EQUAL_UINT8_ARRAY(picture.view.data + 57 * picture.view.row_stride, row.data(),
                                row.size());
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  if (const Start start = kerb::test::open_gpu(); start != Start::run) return start;
  for (DeviceBuffer<std::uint8_t>* buffer : {&input, &output}) {
    Result<DeviceBuffer<std::uint8_t>> made = DeviceBuffer<std::uint8_t>::create(*gpu, kRoom);
    if (!made) return Start::fail;
    *buffer = std::move(*made);
  }
  return Start::run;
}

AFTER_SUITE() {
  input = {};
  output = {};
  gpu.reset();
}
