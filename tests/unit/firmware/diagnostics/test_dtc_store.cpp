// SPDX-License-Identifier: Apache-2.0
#include "firmware/diagnostics/dtc_store.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "firmware/diagnostics/dtc_file.hpp"
#include "firmware/diagnostics/image_writer.hpp"
#include "firmware/threads/bell.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using namespace kerb::diagnostics;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

DtcImage sample() {
  DtcImage image;
  image.cycle = "0b6e6a53-7a8f-4d0e-9d0b-2f6a2b1f7c11";
  DtcEntry& e = image.entries[slot_of({Cause::camera_dark, 2})];
  e = {0xAF, 3, 7, {1, 2, -300, 4, 5, -6}, {0xFFFFFFFF, 0xFFFFFFFE, 0x7FFF, 255, 254, 1 << 30}};
  return image;
}

bool same(const DtcImage& a, const DtcImage& b) {
  return a.cycle == b.cycle && a.entries == b.entries;
}

void spit(const fs::path& path, const std::string& bytes) {
  std::ofstream{path, std::ios::binary} << bytes;
}

TEST(what_is_written_is_read) {
  const Result<DtcImage> read = decode(encode(sample()));
  TEST_ASSERT_TRUE(read && same(*read, sample()));
}

TEST(any_torn_or_changed_file_is_refused) {
  const std::vector<std::byte> whole = encode(sample());
  for (std::size_t size = 0; size < whole.size(); ++size)
    TEST_ASSERT_FALSE(decode(std::span{whole}.first(size)));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::vector<std::byte> changed = whole;
    changed[at] ^= std::byte{0x10};
    TEST_ASSERT_FALSE(decode(changed));
  }
  std::vector<std::byte> longer = whole;
  longer.push_back({});
  TEST_ASSERT_FALSE(decode(longer));
}

TEST(a_file_goes_through_a_folder_that_is_not_there_yet) {
  const test::TempFolder folder;
  const std::string path = (folder.path() / "a" / "b" / "dtc").string();
  Result<DtcImage> none = load_image(path);
  TEST_ASSERT_TRUE(!none && none.error().code == Errc::not_found);
  TEST_ASSERT_TRUE(save_image(path, sample()));
  const Result<DtcImage> read = load_image(path);
  TEST_ASSERT_TRUE(read && same(*read, sample()));
  TEST_ASSERT_FALSE(fs::exists(path + ".new"));
}

TEST(what_a_cut_short_write_left_hurts_nothing) {
  const test::TempFolder folder;
  const std::string path = (folder.path() / "dtc").string();
  TEST_ASSERT_TRUE(save_image(path, sample()));
  spit(path + ".new", "half of a fi");
  TEST_ASSERT_TRUE(load_image(path));
  DtcImage next = sample();
  next.entries[5].occurrences = 9;
  TEST_ASSERT_TRUE(save_image(path, next));
  const Result<DtcImage> read = load_image(path);
  TEST_ASSERT_TRUE(read && same(*read, next));
}

TEST(a_file_of_something_else_is_damaged_and_not_an_end) {
  const test::TempFolder folder;
  const std::string path = (folder.path() / "dtc").string();
  for (const std::string& bytes :
       {std::string{}, std::string{"KWDTC1"}, std::string(1 << 20, 'x')}) {
    spit(path, bytes);
    const Result<DtcImage> read = load_image(path);
    TEST_ASSERT_TRUE(!read && read.error().code == Errc::damaged);
  }
  const Result<DtcImage> read = load_image(folder.path().string());
  TEST_ASSERT_FALSE(read);
}

std::unique_ptr<DtcStore> open(const std::string& path, Nanos interval) {
  Result<std::unique_ptr<DtcStore>> store = DtcStore::open({path, interval, 1min, 10s});
  TEST_ASSERT_TRUE(static_cast<bool>(store));
  return std::move(*store);
}

TEST(the_first_change_is_written_at_once_and_the_rest_together_at_the_end) {
  const test::TempFolder folder;
  const std::string path = (folder.path() / "dtc").string();
  DtcImage image = sample();
  {
    const auto store = open(path, 1h);
    store->put(image);
    TEST_ASSERT_TRUE(test::comes_to_be([&] { return store->status().written == 1; }));
    TEST_ASSERT_TRUE(same(*load_image(path), image));
    for (int i = 0; i < 100; ++i) {
      image.entries[4].occurrences = static_cast<std::uint8_t>(i);
      store->put(image);
    }
    std::this_thread::sleep_for(20ms);
    TEST_ASSERT_EQUAL_UINT64(1, store->status().written);
  }
  TEST_ASSERT_TRUE_MESSAGE(same(*load_image(path), image), "the last one");
}

TEST(a_disk_that_refuses_is_told_and_tried_again) {
  const test::TempFolder folder;
  const std::string path = (folder.path() / "dtc").string();
  fs::create_directory(path);  // a folder stands in its place
  const auto store = open(path, 5ms);
  store->put(sample());
  TEST_ASSERT_TRUE(test::comes_to_be([&] { return store->status().error != 0; }));
  TEST_ASSERT_EQUAL_UINT64(0, store->status().written);
  fs::remove(path);
  TEST_ASSERT_TRUE(test::comes_to_be([&] { return store->status().written == 1; }));
  TEST_ASSERT_EQUAL_INT(0, store->status().error);
  TEST_ASSERT_TRUE(same(*load_image(path), sample()));
}

TEST(what_the_file_held_is_there_after_the_start) {
  const test::TempFolder folder;
  const std::string path = (folder.path() / "dtc").string();
  const auto first = open(path, 1h);
  TEST_ASSERT_ERROR(Errc::not_found, first->kept());
  TEST_ASSERT_TRUE(save_image(path, sample()));
  const auto second = open(path, 1h);
  TEST_ASSERT_TRUE(second->kept() && same(*second->kept(), sample()));
  spit(path, "of something else");
  const auto third = open(path, 1h);
  TEST_ASSERT_ERROR(Errc::damaged, third->kept());
}

TEST(a_disk_that_hangs_does_not_hold_the_start) {
  struct Disk {
    Bell answers;
    std::atomic<bool> read{false};
  };
  const auto disk = std::make_shared<Disk>();
  const auto load = [disk] {
    disk->answers.wait_until(SteadyClock::now() + 1min);
    disk->read = true;
  };
  const auto before = SteadyClock::now();
  {
    auto writer = ImageWriter<DtcImage>::open(
        {}, [](const DtcImage&) -> Status { return Done{}; }, load, "start");
    TEST_ASSERT_OK(writer);
    TEST_ASSERT_FALSE((*writer)->wait_until_loaded(20ms));
  }
  TEST_ASSERT_TRUE_MESSAGE(SteadyClock::now() - before < 30s, "the disk would have held it");
  disk->answers.ring();
  TEST_ASSERT_TRUE(test::comes_to_be([&] { return disk->read.load(); }));
}

TEST(a_store_without_anything_to_write_writes_nothing) {
  const test::TempFolder folder;
  const std::string path = (folder.path() / "dtc").string();
  { const auto store = open(path, 1ms); }
  TEST_ASSERT_FALSE(fs::exists(path));
}

}  // namespace
