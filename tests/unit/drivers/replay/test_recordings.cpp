// SPDX-License-Identifier: Apache-2.0
// Folders of pictures and videos. Without OpenCV: that they say so.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "drivers/replay/open_replay.hpp"
#include "drivers/replay/picture_files.hpp"
#include "hal/fake/clock.hpp"
#include "hal/fake/frame_memory.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"
#if KERB_OPENCV
#include <opencv2/imgcodecs.hpp>

#include "tests/support/video.hpp"
#endif

namespace {

using namespace kerb;
using kerb::test::TempFolder;

PageableFrameMemory memory;
FakeClock fake_clock;

CameraSettings recording(CameraKind kind, std::string device, std::string format = "auto") {
  CameraSettings settings;
  settings.kind = kind;
  settings.device = std::move(device);
  settings.format = std::move(format);
  settings.pace = Pace::recorded;
  settings.loop = false;
  return settings;
}

TEST(names_are_ordered_as_people_count) {
  std::vector<std::string> names = {"img10",
                                    "img2",
                                    "img2b",
                                    "img",
                                    "img02",
                                    "a100",
                                    "a99",
                                    "img1_10",
                                    "img1_9",
                                    "99999999999999999999998",
                                    "99999999999999999999997"};
  std::sort(names.begin(), names.end(), replay::natural_less);
  const std::vector<std::string> expected = {"99999999999999999999997",
                                             "99999999999999999999998",
                                             "a99",
                                             "a100",
                                             "img",
                                             "img1_9",
                                             "img1_10",
                                             "img02",
                                             "img2",
                                             "img2b",
                                             "img10"};
  for (std::size_t i = 0; i < names.size(); ++i)
    TEST_ASSERT_EQUAL_STRING(expected[i].c_str(), names[i].c_str());
  for (const std::string& name : names) TEST_ASSERT_FALSE(replay::natural_less(name, name));
}

TEST(a_jpeg_that_breaks_off_is_told) {
  // Start, a segment with an end marker inside, a scan with stuffing and a restart marker, the end.
  const std::vector<std::uint8_t> whole = {0xFF, 0xD8, 0xFF, 0xE1, 0,    4,   0xFF, 0xD9,
                                           0xFF, 0xFF, 0xDA, 0,    2,    1,   2,    0xFF,
                                           0,    0xFF, 0xD0, 3,    0xFF, 0xD9};
  TEST_ASSERT_TRUE(replay::is_whole(whole));
  for (std::size_t size = 2; size < whole.size(); ++size)
    TEST_ASSERT_FALSE(replay::is_whole({whole.begin(), whole.begin() + static_cast<long>(size)}));
  TEST_ASSERT_TRUE(replay::is_whole({'P', 'N', 'G'}));  // not ours to judge
  TEST_ASSERT_TRUE(replay::is_whole({}));
}

#if KERB_OPENCV

Result<std::unique_ptr<FrameSource>> open(const CameraSettings& settings) {
  return open_replay(settings, memory, fake_clock);
}

/// What the next call says: "7" for a frame whose first byte is 7, or the error's name.
std::string next_of(FrameSource& source) {
  const Result<Frame> frame = source.next(Nanos::zero());
  return frame ? std::to_string(frame->image.data[0]) : name_of(frame.error().code);
}

void write_grey(const std::string& path, int value, int width = 16, int height = 12) {
  TEST_ASSERT_TRUE(cv::imwrite(path, cv::Mat(height, width, CV_8UC1, cv::Scalar::all(value))));
}

void cut(const std::string& path, double part) {
  const auto size = static_cast<double>(std::filesystem::file_size(path));
  std::filesystem::resize_file(path, static_cast<std::uintmax_t>(size * part));
}

TEST(pictures_come_in_order_and_end) {
  const TempFolder folder;
  for (const int i : {1, 2, 10}) write_grey(folder.at("f" + std::to_string(i) + ".PNG"), i);
  static_cast<void>(folder.write("notes.txt", "not a picture"));
  static_cast<void>(folder.at("folder.png/x"));
  const CameraSettings settings = recording(CameraKind::folder, folder.path().string());
  auto source = open(settings);
  TEST_ASSERT_OK(source);
  for (const char* expected : {"1", "2", "10", "end", "end"})
    TEST_ASSERT_EQUAL_STRING(expected, next_of(**source).c_str());
  CameraSettings looping = settings;
  looping.loop = true;
  source = open(looping);
  for (const char* expected : {"1", "2", "10", "1", "2", "10", "1"})
    TEST_ASSERT_EQUAL_STRING(expected, next_of(**source).c_str());
}

TEST(pictures_come_as_asked) {
  const TempFolder colour, grey, deep;
  cv::imwrite(colour.at("a.png"), cv::Mat(4, 6, CV_8UC3, cv::Scalar(10, 20, 30)));
  cv::imwrite(colour.at("b.png"), cv::Mat(4, 6, CV_8UC4, cv::Scalar(10, 20, 30, 99)));
  write_grey(grey.at("a.png"), 77, 6, 4);
  cv::imwrite(deep.at("a.png"), cv::Mat(4, 6, CV_16UC1, cv::Scalar::all(0x1234)));
  cv::imwrite(deep.at("b.tiff"), cv::Mat(4, 6, CV_16UC1, cv::Scalar::all(0x1234)));
  struct Case {
    const TempFolder& folder;
    const char *asked, *given;
    int mosaic;
    std::vector<int> first_bytes;
  };
  for (const Case& c :
       {Case{colour, "auto", "bgr24", 0, {10, 20, 30}},
        Case{colour, "rgb24", "rgb24", 0, {30, 20, 10}},
        Case{colour, "bgr24", "bgr24", 0, {10, 20, 30}}, Case{colour, "grey8", "grey8", 0, {22}},
        Case{grey, "auto", "grey8", 0, {77}}, Case{grey, "bgr24", "bgr24", 0, {77, 77, 77}},
        Case{grey, "bayer8", "bayer8", 0, {77}}, Case{deep, "auto", "grey16", 0, {0x34, 0x12}},
        Case{deep, "grey16", "grey16", 0, {0x34, 0x12}}, Case{deep, "grey8", "grey8", 0, {0x12}},
        Case{deep, "grey12", "grey12", 4, {0x34, 0x12}}}) {
    CameraSettings settings = recording(CameraKind::folder, c.folder.path().string(), c.asked);
    settings.mosaic = c.mosaic;
    const auto source = open(settings);
    TEST_ASSERT_OK(source);
    TEST_ASSERT_EQUAL_STRING(c.given, name_of((*source)->info().format));
    TEST_ASSERT_EQUAL(c.mosaic, (*source)->info().mosaic);
    for (;;) {
      const Result<Frame> frame = (*source)->next(Nanos::zero());
      if (!frame && frame.error().code == Errc::end) break;
      TEST_ASSERT_OK(frame);
      for (std::size_t i = 0; i < c.first_bytes.size(); ++i)
        TEST_ASSERT_INT_WITHIN_MESSAGE(1, c.first_bytes[i], frame->image.data[i], c.asked);
    }
  }
  for (const char* format : {"yuyv", "nv12", "mjpeg", "grey16", "bayer10"})  // 8-bit pictures
    TEST_ASSERT_ERROR(Errc::unsupported,
                      open(recording(CameraKind::folder, grey.path().string(), format)));
}

TEST(a_broken_picture_is_named_and_passed_over) {
  for (const char* extension : {"png", "jpg", "bmp", "tiff", "pgm", "webp"})
    for (const double part : {0.0, 0.1, 0.5, 0.9}) {
      const TempFolder folder;
      cv::Mat noise(64, 64, CV_8UC1);
      cv::randu(noise, 0, 255);
      for (const char* name : {"1.", "2.", "3."})
        TEST_ASSERT_TRUE(cv::imwrite(folder.at(std::string{name} + extension), noise));
      cut(folder.at(std::string{"2."} + extension), part);
      const auto source = open(recording(CameraKind::folder, folder.path().string(), "grey8"));
      TEST_ASSERT_OK(source);
      TEST_ASSERT_OK((*source)->next(Nanos::zero()));
      const Result<Frame> broken = (*source)->next(Nanos::zero());
      const std::string name = std::string{"2."} + extension;
      if (broken) TEST_FAIL_MESSAGE((name + " cut at " + std::to_string(part)).c_str());
      TEST_ASSERT_ERROR(Errc::damaged, broken);
      TEST_ASSERT_NOT_NULL(std::strstr(broken.error().what.c_str(), name.c_str()));
      TEST_ASSERT_OK((*source)->next(Nanos::zero()));
      TEST_ASSERT_EQUAL_UINT64(1, (*source)->counters().damaged);
      TEST_ASSERT_EQUAL_UINT64(2, (*source)->counters().delivered);
    }
}

TEST(a_picture_of_another_size_is_named) {
  const TempFolder folder;
  write_grey(folder.at("1.png"), 1);
  write_grey(folder.at("2.png"), 2, 17, 12);
  write_grey(folder.at("3.png"), 3);
  const auto source = open(recording(CameraKind::folder, folder.path().string()));
  TEST_ASSERT_EQUAL_STRING("1", next_of(**source).c_str());
  const Result<Frame> other = (*source)->next(Nanos::zero());
  TEST_ASSERT_ERROR(Errc::damaged, other);
  TEST_ASSERT_NOT_NULL(std::strstr(other.error().what.c_str(), "2.png: 17x12, expected 16x12"));
  TEST_ASSERT_EQUAL_STRING("3", next_of(**source).c_str());
}

TEST(a_picture_that_left_is_damaged) {
  const TempFolder folder;
  for (const int i : {1, 2}) write_grey(folder.at(std::to_string(i) + ".png"), i);
  const auto source = open(recording(CameraKind::folder, folder.path().string()));
  std::filesystem::remove(folder.at("1.png"));
  TEST_ASSERT_EQUAL_STRING("damaged", next_of(**source).c_str());
  TEST_ASSERT_EQUAL_STRING("2", next_of(**source).c_str());
}

TEST(a_folder_that_does_not_do_is_told) {
  const TempFolder folder;
  const std::string path = folder.path().string();
  TEST_ASSERT_ERROR(Errc::not_found, open(recording(CameraKind::folder, path)));
  TEST_ASSERT_ERROR(Errc::not_found, open(recording(CameraKind::folder, path + "/none")));
  const std::string file = folder.write("a.png", "garbage");
  TEST_ASSERT_ERROR(Errc::not_found, open(recording(CameraKind::folder, file)));
  const auto all_bad = open(recording(CameraKind::folder, path));
  TEST_ASSERT_ERROR(Errc::damaged, all_bad);
  TEST_ASSERT_NOT_NULL(std::strstr(all_bad.error().what.c_str(), "a.png"));
  write_grey(folder.at("b.png"), 5);  // the first that can be read decides
  const auto source = open(recording(CameraKind::folder, path));
  TEST_ASSERT_OK(source);
  TEST_ASSERT_EQUAL_STRING("damaged", next_of(**source).c_str());
  TEST_ASSERT_EQUAL_STRING("5", next_of(**source).c_str());
}

TEST(a_long_path_keeps_its_end_in_errors) {
  const TempFolder folder;
  std::string deep(120, 'x');
  deep += "/bad.png";  // not with +, which GCC 12 warns of
  const std::string file = folder.write(deep, "garbage");
  const auto source =
      open(recording(CameraKind::folder, std::filesystem::path{file}.parent_path().string()));
  TEST_ASSERT_ERROR(Errc::damaged, source);
  TEST_ASSERT_NOT_NULL(std::strstr(source.error().what.c_str(), "/bad.png"));
}

TEST(a_video_plays_at_its_own_rate) {
  const TempFolder folder;
  const std::string file = folder.at("v.avi");
  TEST_ASSERT_TRUE(kerb::test::write_video(file, 25, 5, 64, 48));
  for (const char* format : {"auto", "rgb24", "grey8"}) {
    const auto source = open(recording(CameraKind::video, file, format));
    TEST_ASSERT_OK(source);
    TEST_ASSERT_EQUAL_DOUBLE(25, (*source)->info().rate_hz);
    TEST_ASSERT_EQUAL(64, (*source)->info().width);
    TEST_ASSERT_EQUAL(48, (*source)->info().height);
    Nanos last{};
    for (int i = 0; i < 5; ++i) {
      const Result<Frame> frame = (*source)->next(Nanos::zero());
      TEST_ASSERT_OK(frame);
      TEST_ASSERT_UINT8_WITHIN(3, 20 * i, frame->image.data[0]);
      if (i > 0) TEST_ASSERT_EQUAL_INT64(40000000, (frame->captured - last).count());
      last = frame->captured;
    }
    TEST_ASSERT_EQUAL_STRING("end", next_of(**source).c_str());
    TEST_ASSERT_EQUAL_STRING("end", next_of(**source).c_str());
  }
  CameraSettings looping = recording(CameraKind::video, file);
  looping.loop = true;
  const auto source = open(looping);
  for (int i = 0; i < 13; ++i) {
    const Result<Frame> frame = (*source)->next(Nanos::zero());
    TEST_ASSERT_OK(frame);
    TEST_ASSERT_UINT8_WITHIN(3, 20 * (i % 5), frame->image.data[0]);
    TEST_ASSERT_EQUAL_UINT64(i, frame->sequence);
  }
}

TEST(a_video_that_is_none_is_told) {
  const TempFolder folder;
  const std::string path = folder.path().string();
  TEST_ASSERT_ERROR(Errc::not_found, open(recording(CameraKind::video, path + "/none.mp4")));
  TEST_ASSERT_ERROR(Errc::not_found, open(recording(CameraKind::video, path)));
  const std::string garbage = folder.write("v.mp4", std::string(5000, '\x5a'));
  const auto source = open(recording(CameraKind::video, garbage));
  TEST_ASSERT_ERROR(Errc::damaged, source);
  TEST_ASSERT_NOT_NULL(std::strstr(source.error().what.c_str(), "v.mp4"));
  TEST_ASSERT_ERROR(Errc::damaged, open(recording(CameraKind::video, folder.write("e.avi", ""))));
  const std::string file = folder.at("v.avi");
  TEST_ASSERT_TRUE(kerb::test::write_video(file, 25, 5, 64, 48));
  TEST_ASSERT_ERROR(Errc::unsupported, open(recording(CameraKind::video, file, "yuyv")));
  for (const double part : {0.02, 0.2, 0.6}) {  // whatever can be read of it, without a crash
    cut(file, part);
    const auto broken = open(recording(CameraKind::video, file));
    for (int i = 0; broken && i < 10; ++i) static_cast<void>((*broken)->next(Nanos::zero()));
    TEST_ASSERT_TRUE(kerb::test::write_video(file, 25, 5, 64, 48));
  }
}

#else

TEST(without_opencv_it_says_so) {
  for (const CameraKind kind : {CameraKind::folder, CameraKind::video}) {
    const auto source = open_replay(recording(kind, "/tmp"), memory, fake_clock);
    TEST_ASSERT_ERROR(Errc::unsupported, source);
    TEST_ASSERT_NOT_NULL(std::strstr(source.error().where, "built without OpenCV"));
  }
}

#endif

}  // namespace
