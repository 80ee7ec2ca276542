// SPDX-License-Identifier: Apache-2.0
#include <cerrno>

#include "drivers/v4l2/format_table.hpp"
#include "tests/support/real_kernel.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/drivers/v4l2/bench.hpp"

namespace kerb::test {
namespace {

// --- the node

TEST(a_camera_that_has_what_is_asked_opens_and_streams) {
  Bench bench;
  {
    const auto camera = bench.open();
    TEST_ASSERT_TRUE(bench.kernel.is_streaming());
    const FrameSourceInfo info = camera->info();
    TEST_ASSERT_EQUAL_STRING("/dev/video0", info.name.c_str());
    TEST_ASSERT_EQUAL_STRING("yuyv", name_of(info.format));
    TEST_ASSERT_EQUAL_INT(64, info.width);
    TEST_ASSERT_EQUAL_INT(48, info.height);
    TEST_ASSERT_EQUAL_INT(0, info.mosaic);
    TEST_ASSERT_EQUAL_STRING("userptr", info.memory);
  }
  TEST_ASSERT_FALSE(bench.kernel.is_streaming());
  bench.check_clean();
}

TEST(a_missing_node_is_not_found) {
  Bench bench;
  bench.settings.device = "/dev/video9";
  TEST_ASSERT_ERROR(Errc::not_found, bench.try_open());
  TEST_ASSERT_EQUAL_STRING("open camera: /dev/video9: No such file or directory",
                           bench.refusal().c_str());
}

TEST(a_node_that_cannot_be_opened_is_io_and_named) {
  for (const int error : {EBUSY, EACCES, EMFILE}) {
    Bench bench;
    bench.kernel.failures[0] = {error};
    const auto camera = bench.try_open();
    TEST_ASSERT_ERROR(Errc::io, camera);
    TEST_ASSERT_EQUAL_STRING("/dev/video0", camera.error().what.c_str());
    TEST_ASSERT_EQUAL_INT(error, camera.error().native);
  }
}

TEST(what_is_no_streaming_capture_device_is_unsupported) {
  struct Case {
    std::uint32_t capabilities;
    const char* line;
  };
  for (const Case& c : {Case{V4L2_CAP_VIDEO_OUTPUT | V4L2_CAP_STREAMING,
                             "open camera: /dev/video0: does not capture video"},
                        Case{V4L2_CAP_META_CAPTURE | V4L2_CAP_STREAMING,
                             "open camera: /dev/video0: does not capture video"},
                        Case{V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_READWRITE,
                             "open camera: /dev/video0: captures, but cannot stream"}}) {
    Bench bench;
    bench.kernel.capabilities = c.capabilities;
    TEST_ASSERT_ERROR(Errc::unsupported, bench.try_open());
    TEST_ASSERT_EQUAL_STRING(c.line, bench.refusal().c_str());
    bench.check_clean();
  }
}

TEST(files_that_are_no_cameras_are_refused_by_the_real_kernel) {
  if (!kerb::test::kernel_answers()) TEST_IGNORE_MESSAGE("needs a kernel, not an emulator");
  Bench bench;
  LinuxIo linux_io;
  const auto open = [&](const char* path) {
    bench.settings.device = path;
    return V4l2Camera::open(bench.settings, bench.memory, bench.clock, linux_io);
  };
  TEST_ASSERT_ERROR(Errc::not_found, open("/dev/no-such-camera"));
  TEST_ASSERT_ERROR(Errc::unsupported, open("/dev/null"));
  TEST_ASSERT_ERROR(Errc::unsupported, open("/"));
}

TEST(a_failure_at_any_ioctl_of_opening_is_reported_and_leaves_nothing_behind) {
  struct Case {
    unsigned long request;
    int error;
    Errc code;
  };
  for (const Case& c :
       {Case{VIDIOC_QUERYCAP, ENOTTY, Errc::unsupported}, Case{VIDIOC_QUERYCAP, ENODEV, Errc::gone},
        Case{VIDIOC_ENUMINPUT, ENODEV, Errc::gone}, Case{VIDIOC_ENUM_FMT, EIO, Errc::io},
        Case{VIDIOC_S_FMT, EBUSY, Errc::io}, Case{VIDIOC_S_FMT, EINVAL, Errc::unsupported},
        Case{VIDIOC_G_PARM, ENODEV, Errc::gone}, Case{VIDIOC_S_PARM, EBUSY, Errc::io},
        Case{VIDIOC_REQBUFS, EBUSY, Errc::io}, Case{VIDIOC_REQBUFS, ENOMEM, Errc::io},
        Case{VIDIOC_QUERYBUF, ENODEV, Errc::gone}, Case{VIDIOC_STREAMON, EIO, Errc::io},
        Case{VIDIOC_STREAMON, ENOLINK, Errc::no_signal},
        Case{VIDIOC_STREAMON, ENODEV, Errc::gone}}) {
    Bench bench;
    bench.settings.memory = BufferMode::mmap;
    bench.kernel.failures[c.request] = {c.error};
    {
      const auto camera = bench.try_open();
      TEST_ASSERT_ERROR(c.code, camera);
      TEST_ASSERT_EQUAL_STRING_LEN("/dev/video0", camera.error().what.c_str(), 11);
    }
    bench.check_clean();
  }
}

TEST(an_interrupted_ioctl_is_asked_again) {
  Bench bench;
  bench.kernel.failures[VIDIOC_S_FMT] = {EINTR, EINTR};
  bench.open();
  bench.check_clean();
}

TEST(a_full_usb_bus_is_said_to_be_that) {
  Bench bench;
  bench.kernel.failures[VIDIOC_STREAMON] = {ENOSPC};
  TEST_ASSERT_EQUAL_STRING("start camera: /dev/video0: no bandwidth left on its bus",
                           bench.refusal().c_str());
}

TEST(settings_without_sense_are_refused_before_the_device_is_touched) {
  struct Case {
    void (*spoil)(CameraSettings&);
    const char* line;
  };
  const Case cases[] = {
      {[](CameraSettings& s) { s.device = ""; }, "camera settings: device must be set"},
      {[](CameraSettings& s) { s.width = 0; },
       "camera settings: /dev/video0: width 0 is not 16..16384"},
      {[](CameraSettings& s) { s.height = 99999; },
       "camera settings: /dev/video0: height 99999 is not 16..16384"},
      {[](CameraSettings& s) { s.rate_hz = 0; },
       "camera settings: /dev/video0: rate 0 Hz is not 0.1..1000"},
      {[](CameraSettings& s) { s.buffers = 1; },
       "camera settings: /dev/video0: buffers 1 is not 2..32"},
      {[](CameraSettings& s) { s.buffers = 33; },
       "camera settings: /dev/video0: buffers 33 is not 2..32"},
      {[](CameraSettings& s) { s.mosaic = 1; },
       "camera settings: /dev/video0: mosaic 1 is neither 0 nor 2..16"},
      {[](CameraSettings& s) { s.exposure_us = 0; },
       "camera settings: /dev/video0: exposure 0 us is not over 0"},
      {[](CameraSettings& s) { s.format = "h264"; },
       "camera settings: /dev/video0: unknown format h264"},
      {[](CameraSettings& s) { s.mosaic = 3; },
       "camera settings: /dev/video0: a mosaic needs one sample per pixel, not yuyv"},
      {[](CameraSettings& s) { s.mosaic = 3, s.format = "mjpeg"; },
       "camera settings: /dev/video0: a mosaic needs one sample per pixel, mjpeg has three"},
      {[](CameraSettings& s) { s.width = 63; },
       "camera settings: /dev/video0: this size is odd, yuyv needs even sides"},
  };
  for (const Case& c : cases) {
    Bench bench;
    c.spoil(bench.settings);
    TEST_ASSERT_ERROR(Errc::invalid_argument, bench.try_open());
    TEST_ASSERT_EQUAL_STRING(c.line, bench.refusal().c_str());
    TEST_ASSERT_EQUAL_INT(0, bench.kernel.calls(VIDIOC_QUERYCAP));
  }
}

// --- format and size

TEST(every_format_comes_as_what_it_is) {
  struct Case {
    std::uint32_t fourcc;
    PixelFormat format;
    BayerOrder order;
  };
  using enum PixelFormat;
  using enum BayerOrder;
  const Case cases[] = {
      {V4L2_PIX_FMT_GREY, grey8, rggb},      {V4L2_PIX_FMT_Y10, grey10, rggb},
      {V4L2_PIX_FMT_Y12, grey12, rggb},      {V4L2_PIX_FMT_Y14, grey14, rggb},
      {V4L2_PIX_FMT_Y16, grey16, rggb},      {V4L2_PIX_FMT_YUYV, yuyv, rggb},
      {V4L2_PIX_FMT_UYVY, uyvy, rggb},       {V4L2_PIX_FMT_NV12, nv12, rggb},
      {V4L2_PIX_FMT_RGB24, rgb24, rggb},     {V4L2_PIX_FMT_BGR24, bgr24, rggb},
      {V4L2_PIX_FMT_SRGGB8, bayer8, rggb},   {V4L2_PIX_FMT_SBGGR8, bayer8, bggr},
      {V4L2_PIX_FMT_SGRBG8, bayer8, grbg},   {V4L2_PIX_FMT_SGBRG8, bayer8, gbrg},
      {V4L2_PIX_FMT_SRGGB10, bayer10, rggb}, {V4L2_PIX_FMT_SBGGR10, bayer10, bggr},
      {V4L2_PIX_FMT_SGRBG10, bayer10, grbg}, {V4L2_PIX_FMT_SGBRG10, bayer10, gbrg},
      {V4L2_PIX_FMT_SRGGB12, bayer12, rggb}, {V4L2_PIX_FMT_SBGGR12, bayer12, bggr},
      {V4L2_PIX_FMT_SGRBG12, bayer12, grbg}, {V4L2_PIX_FMT_SGBRG12, bayer12, gbrg},
  };
  for (const Case& c : cases)
    for (const std::uint32_t padding : {0u, 24u}) {
      Bench bench;
      bench.kernel.formats = {{c.fourcc, {{64, 48}}}};
      bench.kernel.row_padding = padding;
      bench.settings.format = name_of(c.format);
      {
        const auto camera = bench.open();
        bench.kernel.fill({7, 90s});
        const auto frame = camera->next(10ms);
        TEST_ASSERT_OK(frame);
        const RawImageView<Space::host>& image = frame->image;
        TEST_ASSERT_EQUAL_STRING(name_of(c.format), name_of(image.format));
        TEST_ASSERT_EQUAL_STRING(name_of(c.order), name_of(image.bayer));
        TEST_ASSERT_EQUAL_STRING(name_of(c.order), name_of(camera->info().bayer));
        const int stride = min_row_bytes(c.format, 64) + static_cast<int>(padding);
        TEST_ASSERT_EQUAL_INT(stride, image.row_stride);
        TEST_ASSERT_EQUAL_UINT8(7, image.data[47 * stride + min_row_bytes(c.format, 64) - 1]);
        TEST_ASSERT_EQUAL(c.format == nv12, image.chroma != nullptr);
        if (image.chroma != nullptr) {
          TEST_ASSERT_EQUAL_INT(48 * stride, image.chroma - image.data);
          TEST_ASSERT_EQUAL_INT(stride, image.chroma_stride);
          TEST_ASSERT_EQUAL_UINT8(7, image.chroma[23 * stride + 63]);
        }
      }
      bench.check_clean();
    }
}

TEST(a_camera_that_changes_the_size_or_the_format_is_refused_with_what_it_offers) {
  struct Case {
    std::vector<FakeFormat> formats;
    const char* asked;
    const char* line;
  };
  const Case cases[] = {
      {{{V4L2_PIX_FMT_YUYV, {{640, 480}}}},
       "yuyv",
       "set camera format: /dev/video0: asked 64x48 yuyv, camera offers 640x480 yuyv"},
      {{{V4L2_PIX_FMT_YUYV, {{640, 480}}}, {V4L2_PIX_FMT_GREY, {{320, 240}}}},
       "auto",
       "set camera format: /dev/video0: asked 64x48 auto, camera offers 640x480 yuyv"},
      {{{V4L2_PIX_FMT_MJPEG, {{640, 480}}}, {V4L2_PIX_FMT_H264, {{640, 480}}}},
       "yuyv",
       "set camera format: /dev/video0: asked yuyv, camera offers mjpeg, H264"},
      {{{V4L2_PIX_FMT_SRGGB10P, {{64, 48}}}, {V4L2_PIX_FMT_NV12M, {{64, 48}}}},
       "auto",
       "set camera format: /dev/video0: asked auto, camera offers pRAA, NM12"},
  };
  for (const Case& c : cases) {
    Bench bench;
    bench.kernel.formats = c.formats;
    bench.settings.format = c.asked;
    TEST_ASSERT_ERROR(Errc::unsupported, bench.try_open());
    TEST_ASSERT_EQUAL_STRING(c.line, bench.refusal().c_str());
    bench.check_clean();
  }
}

TEST(interlaced_pictures_are_refused) {
  Bench bench;
  bench.kernel.field = V4L2_FIELD_INTERLACED;
  TEST_ASSERT_EQUAL_STRING(
      "set camera format: /dev/video0: asked 64x48 yuyv, camera offers 64x48 yuyv interlaced",
      bench.refusal().c_str());
}

TEST(a_driver_whose_numbers_contradict_each_other_is_refused) {
  for (const std::uint32_t bytes : {1u, 64u * 48 * 2 - 1, 0xffffffffu}) {
    Bench bench;
    bench.kernel.size_image = bytes;
    TEST_ASSERT_ERROR(Errc::unsupported, bench.try_open());
    bench.check_clean();
  }
}

TEST(auto_takes_the_formats_in_the_order_that_is_documented) {
  const std::uint32_t order[] = {V4L2_PIX_FMT_NV12,    V4L2_PIX_FMT_YUYV,    V4L2_PIX_FMT_UYVY,
                                 V4L2_PIX_FMT_GREY,    V4L2_PIX_FMT_Y10,     V4L2_PIX_FMT_Y12,
                                 V4L2_PIX_FMT_Y14,     V4L2_PIX_FMT_Y16,     V4L2_PIX_FMT_SGBRG8,
                                 V4L2_PIX_FMT_SBGGR10, V4L2_PIX_FMT_SGRBG12, V4L2_PIX_FMT_RGB24,
                                 V4L2_PIX_FMT_BGR24,   V4L2_PIX_FMT_MJPEG};
  const char* names[] = {"nv12",   "yuyv",   "uyvy",    "grey8",   "grey10", "grey12", "grey14",
                         "grey16", "bayer8", "bayer10", "bayer12", "rgb24",  "bgr24",  "rgb24"};
  for (std::size_t first = 0; first < std::size(order); ++first) {
    Bench bench;
    bench.kernel.formats.clear();
    for (std::size_t i = std::size(order);
         i-- > first;)  // the camera lists them the other way round
      bench.kernel.formats.push_back({order[i], {{64, 48}}});
    bench.settings.format = "auto";
    TEST_ASSERT_EQUAL_STRING(names[first], name_of(bench.open()->info().format));
  }
}

TEST(auto_passes_over_a_format_that_is_too_slow_or_too_small) {
  Bench bench;
  bench.kernel.formats = {{V4L2_PIX_FMT_YUYV, {{64, 48, {5, 10}}}},
                          {V4L2_PIX_FMT_NV12, {{32, 24}}},
                          {V4L2_PIX_FMT_MJPEG, {{64, 48, {30, 10}}}}};
  bench.settings.format = "auto";
  bench.settings.rate_hz = 30;
  TEST_ASSERT_EQUAL_STRING("own", bench.open()->info().memory);  // mjpeg
  bench.settings.rate_hz = 60;  // nobody can: then the best format, as fast as it goes
  TEST_ASSERT_EQUAL_STRING("yuyv", name_of(bench.open()->info().format));
}

TEST(a_mosaic_takes_the_deepest_raw_format_and_cuts_what_does_not_fill_a_cell) {
  Bench bench;
  bench.kernel.formats = {{V4L2_PIX_FMT_YUYV, {{64, 48}}},
                          {V4L2_PIX_FMT_GREY, {{64, 48}}},
                          {V4L2_PIX_FMT_SBGGR10, {{64, 48}}}};
  bench.settings.format = "auto";
  bench.settings.mosaic = 5;
  {
    const auto camera = bench.open();
    bench.kernel.fill({1, 90s});
    const auto frame = camera->next(10ms);
    TEST_ASSERT_OK(frame);
    for (const int mosaic : {camera->info().mosaic, frame->image.mosaic})
      TEST_ASSERT_EQUAL_INT(5, mosaic);
    for (const int width : {camera->info().width, frame->image.width})
      TEST_ASSERT_EQUAL_INT(60, width);
    for (const int height : {camera->info().height, frame->image.height})
      TEST_ASSERT_EQUAL_INT(45, height);
    TEST_ASSERT_EQUAL_STRING("grey10", name_of(frame->image.format));
    TEST_ASSERT_EQUAL_STRING("grey10", name_of(camera->info().format));
    TEST_ASSERT_EQUAL_INT(128, frame->image.row_stride);
  }
  bench.kernel.formats = {{V4L2_PIX_FMT_YUYV, {{64, 48}}}};
  TEST_ASSERT_EQUAL_STRING("set camera format: /dev/video0: asked auto mosaic, camera offers yuyv",
                           bench.refusal().c_str());
}

TEST(the_formats_for_a_mosaic_are_the_single_sample_ones_we_know_deepest_first) {
  std::size_t single = 0;
  for (const v4l2::FormatEntry& entry : v4l2::known_formats())
    if (!entry.compressed && is_single_sample(entry.pixels)) ++single;
  TEST_ASSERT_EQUAL_UINT(single, v4l2::mosaic_formats().size());
  int depth = 16;
  for (const v4l2::FormatEntry& entry : v4l2::mosaic_formats()) {
    const v4l2::FormatEntry* known = v4l2::find_format(entry.fourcc);
    TEST_ASSERT_NOT_NULL(known);
    TEST_ASSERT_EQUAL_STRING(known->name(), entry.name());
    TEST_ASSERT_EQUAL_STRING(name_of(known->bayer), name_of(entry.bayer));
    TEST_ASSERT_TRUE(bit_depth(entry.pixels) <= depth);
    depth = bit_depth(entry.pixels);
  }
}

// What FLIR's Boson and a Lepton on a PureThermal board list: docs/thermal.md.
TEST(a_thermal_camera_gives_its_counts_where_it_has_them) {
  struct Case {
    std::vector<std::uint32_t> offered;  // in the camera's order
    const char* taken;
  };
  const Case cases[] = {
      {{V4L2_PIX_FMT_YUV420, V4L2_PIX_FMT_NV12, V4L2_PIX_FMT_Y16}, "grey16"},
      {{V4L2_PIX_FMT_UYVY, V4L2_PIX_FMT_Y16, V4L2_PIX_FMT_GREY, V4L2_PIX_FMT_RGB565,
        V4L2_PIX_FMT_BGR24},
       "grey16"},
      {{V4L2_PIX_FMT_GREY, V4L2_PIX_FMT_Y14}, "grey14"},
      {{V4L2_PIX_FMT_Y10, V4L2_PIX_FMT_Y12}, "grey12"},
      {{V4L2_PIX_FMT_YUYV, V4L2_PIX_FMT_GREY}, "grey8"},
      {{V4L2_PIX_FMT_YUV420, V4L2_PIX_FMT_NV12}, "nv12"},
      {{V4L2_PIX_FMT_MJPEG, V4L2_PIX_FMT_YUYV}, "yuyv"},
      {{V4L2_PIX_FMT_BGR24, V4L2_PIX_FMT_UYVY}, "uyvy"},
  };
  for (const Case& c : cases) {
    Bench bench;
    bench.kernel.formats.clear();
    for (const std::uint32_t fourcc : c.offered)
      bench.kernel.formats.push_back({fourcc, {{64, 48}}});
    bench.settings.imaging = Imaging::thermal;
    bench.settings.format = "auto";
    TEST_ASSERT_EQUAL_STRING(c.taken, name_of(bench.open()->info().format));
    bench.settings.format = c.taken;
    TEST_ASSERT_EQUAL_STRING(c.taken, name_of(bench.open()->info().format));
  }
}

TEST(a_thermal_camera_with_false_colours_alone_is_refused_and_what_it_offers_is_said) {
  Bench bench;
  bench.kernel.formats = {{V4L2_PIX_FMT_BGR24, {{64, 48}}}, {V4L2_PIX_FMT_MJPEG, {{64, 48}}}};
  bench.settings.imaging = Imaging::thermal;
  bench.settings.format = "auto";
  TEST_ASSERT_ERROR(Errc::unsupported, bench.try_open());
  TEST_ASSERT_EQUAL_STRING(
      "set camera format: /dev/video0: asked auto thermal, camera offers bgr24, mjpeg",
      bench.refusal().c_str());
  for (const char* format : {"bgr24", "rgb24", "mjpeg", "bayer8", "bayer12"}) {
    bench.settings.format = format;
    TEST_ASSERT_ERROR(Errc::invalid_argument, bench.try_open());
    TEST_ASSERT_EQUAL_STRING((std::string{"camera settings: /dev/video0: a thermal camera gives "
                                          "grey or YUV, not "} +
                              format)
                                 .c_str(),
                             bench.refusal().c_str());
  }
  bench.settings.format = "grey16";
  bench.settings.mosaic = 4;
  TEST_ASSERT_ERROR(Errc::invalid_argument, bench.try_open());
  bench.check_clean();
}

TEST(the_formats_for_a_thermal_camera_are_those_we_know_deepest_first) {
  int depth = 16;
  for (const v4l2::FormatEntry& entry : v4l2::thermal_formats()) {
    const v4l2::FormatEntry* known = v4l2::find_format(entry.fourcc);
    TEST_ASSERT_NOT_NULL(known);
    TEST_ASSERT_EQUAL_STRING(known->name(), entry.name());
    TEST_ASSERT_FALSE(entry.compressed);
    TEST_ASSERT_TRUE(bit_depth(entry.pixels) <= depth);
    depth = bit_depth(entry.pixels);
  }
}

// --- buffers

TEST(automatic_memory_falls_back_to_mmap_when_the_driver_refuses_ours) {
  for (const bool at_request : {true, false}) {
    Bench bench;
    bench.kernel.has_userptr = !at_request;
    bench.kernel.userptr_refusal = EFAULT;
    {
      const auto camera = bench.open();
      TEST_ASSERT_EQUAL_STRING("mmap", camera->info().memory);
      TEST_ASSERT_EQUAL_INT(4, bench.kernel.mappings());
      bench.kernel.fill({3, 90s});
      const auto frame = camera->next(10ms);
      TEST_ASSERT_OK(frame);
      TEST_ASSERT_EQUAL_UINT8(3, frame->image.data[100]);
    }
    bench.check_clean();
  }
}

TEST(a_way_of_memory_that_is_asked_for_and_refused_is_unsupported) {
  Bench bench;
  bench.settings.memory = BufferMode::userptr;
  bench.kernel.has_userptr = false;
  TEST_ASSERT_ERROR(Errc::unsupported, bench.try_open());
  bench.kernel.has_userptr = true;
  bench.kernel.userptr_refusal = EINVAL;
  TEST_ASSERT_ERROR(Errc::unsupported, bench.try_open());
  bench.settings.memory = BufferMode::mmap;
  bench.kernel.has_mmap = false;
  TEST_ASSERT_ERROR(Errc::unsupported, bench.try_open());
  bench.check_clean();
}

TEST(the_kernel_may_grant_more_buffers_than_asked_but_not_just_one) {
  for (const BufferMode mode : {BufferMode::userptr, BufferMode::mmap}) {
    Bench bench;
    bench.settings.memory = mode;
    bench.settings.buffers = 2;
    bench.kernel.least_buffers = 5;
    {
      const auto camera = bench.open();
      TEST_ASSERT_EQUAL_UINT(5, bench.kernel.queued());
    }
    bench.kernel.most_buffers = 1;
    TEST_ASSERT_ERROR(Errc::io, bench.try_open());
    bench.check_clean();
  }
}

TEST(a_camera_of_the_multi_planar_interface_works_alike) {
  for (const BufferMode mode : {BufferMode::userptr, BufferMode::mmap}) {
    Bench bench;
    bench.kernel.capabilities = V4L2_CAP_VIDEO_CAPTURE_MPLANE | V4L2_CAP_STREAMING;
    bench.kernel.formats = {{V4L2_PIX_FMT_NV12, {{64, 48}}}};
    bench.kernel.size_image = 64 * 48 * 3 / 2 + 16;
    bench.settings.format = "nv12";
    bench.settings.memory = mode;
    {
      const auto camera = bench.open();
      Fill fill{9, 90s};
      fill.data_offset = 16;
      bench.kernel.fill(fill);
      fill.data_offset = 17;  // one byte too few is left
      bench.kernel.fill(fill);
      const auto frame = camera->next(10ms);
      TEST_ASSERT_OK(frame);
      TEST_ASSERT_EQUAL_UINT8(9, frame->image.chroma[24 * 64 - 1]);
      TEST_ASSERT_ERROR(Errc::damaged, camera->next(10ms));
    }
    bench.check_clean();
  }
}

}  // namespace
}  // namespace kerb::test
