// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/object_list.hpp"

#include <array>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "firmware/control/warner.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/random.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr double kBumper = 3.6;
constexpr int kCameras = WarningLogic::kMostCameras;

/// As many reports as there can be cameras, all empty.
struct Reports {
  std::vector<risk::PeopleReport> of{kCameras};
  std::array<const risk::PeopleReport*, kCameras> all{};
  Reports() {
    for (std::size_t i = 0; i < kCameras; ++i) {
      of[i].at = seconds{100};
      all[i] = &of[i];
    }
  }
  track::Person& add(int camera, double x_m, bool confirmed = true) {
    track::PersonList& people = of[static_cast<std::size_t>(camera)].people;
    track::Person& person = people.items[people.count++];
    person.id = static_cast<std::uint32_t>(people.count);
    person.first_seen = seconds{98};
    person.x_m = x_m;
    person.confirmed = confirmed;
    return person;
  }
};

TEST(no_two_people_of_any_cameras_share_a_number) {
  std::set<std::uint16_t> numbers;
  constexpr std::uint32_t kPeople = can::kObjectIds / kCameras;  // then they come round again
  for (std::uint32_t person = 1; person <= kPeople; ++person)
    for (int camera = 0; camera < kCameras; ++camera) {
      const std::uint16_t number = bus_number(person, camera);
      TEST_ASSERT_TRUE(number < can::kObjectIds);  // the one beyond means nobody
      TEST_ASSERT_TRUE(numbers.insert(number).second);
    }
  // The last number there is does not overflow on its way.
  TEST_ASSERT_EQUAL_UINT16((4ULL * 0xFFFFFFFF + 3) % 65535, bus_number(0xFFFFFFFF, 3));
}

TEST(nobody_is_an_empty_list) {
  const Reports reports;
  ObjectList out{};
  TEST_ASSERT_EQUAL_size_t(0, list_objects(reports.all, kBumper, out));
  TEST_ASSERT_EQUAL_size_t(0, list_objects({}, kBumper, out));
}

TEST(all_that_is_known_of_somebody_is_told_from_the_bumper) {
  Reports reports;
  track::Person& person = reports.add(2, 20);
  person.id = 7;
  person.y_m = -1.5;
  person.vx_mps = 0.4;
  person.vy_mps = 1.2;
  person.height_m = 1.45;
  person.first_seen = seconds{100} - milliseconds{2500};
  ObjectList out{};
  TEST_ASSERT_EQUAL_size_t(1, list_objects(reports.all, kBumper, out));
  TEST_ASSERT_EQUAL_UINT16(bus_number(7, 2), out[0].id);
  TEST_ASSERT_EQUAL_DOUBLE(20 - kBumper, *out[0].x_m);
  TEST_ASSERT_EQUAL_DOUBLE(-1.5, *out[0].y_m);
  TEST_ASSERT_EQUAL_DOUBLE(0.4, *out[0].vx_mps);
  TEST_ASSERT_EQUAL_DOUBLE(1.2, *out[0].vy_mps);
  TEST_ASSERT_EQUAL_DOUBLE(1.45, *out[0].height_m);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 2.5, *out[0].age_s);
}

TEST(who_is_behind_the_bumper_or_not_certain_is_left_out) {
  Reports reports;
  reports.add(0, kBumper - 0.01);
  reports.add(0, -5);
  reports.add(1, 10, false);
  reports.add(1, kBumper);
  reports.add(2, 12);
  ObjectList out{};
  TEST_ASSERT_EQUAL_size_t(2, list_objects(reports.all, kBumper, out));
  TEST_ASSERT_EQUAL_DOUBLE(0, *out[0].x_m);
  TEST_ASSERT_EQUAL_DOUBLE(12 - kBumper, *out[1].x_m);
}

TEST(a_camera_alone_keeps_its_number) {
  Reports reports;
  reports.add(0, 10);
  reports.add(1, 9);
  ObjectList out{};
  TEST_ASSERT_EQUAL_size_t(1, list_objects(std::span{reports.all}.first(1), kBumper, out));
  TEST_ASSERT_EQUAL_UINT16(bus_number(1, 0), out[0].id);
}

TEST(somebody_of_several_cameras_has_the_number_of_the_one_who_gave_the_id) {
  Reports reports;
  track::Person& person = reports.add(1, 10);
  person.id = 7;
  person.camera = 3;
  reports.all[0] = nullptr;  // a camera that cannot see
  ObjectList out{};
  TEST_ASSERT_EQUAL_size_t(1, list_objects(reports.all, kBumper, out));
  TEST_ASSERT_EQUAL_UINT16(bus_number(7, 3), out[0].id);
}

/// Against sorting all of them, whatever their order.
TEST(of_as_many_as_there_can_be_the_nearest_are_kept_in_order) {
  test::Random random{3};
  for (int round = 0; round < 50; ++round) {
    Reports reports;
    std::multiset<double> places;
    for (int camera = 0; camera < kCameras; ++camera)
      for (int i = 0; i < track::PersonList::kCapacity; ++i) {
        const double x = static_cast<double>(random.next() % 6000) / 100;
        const bool confirmed = random.next() % 4 != 0;
        reports.add(camera, x, confirmed);
        if (confirmed && x >= kBumper) places.insert(x - kBumper);
      }
    ObjectList out{};
    const std::uint64_t before = test::allocations();
    const std::size_t count = list_objects(reports.all, kBumper, out);
    TEST_ASSERT_EQUAL_UINT64(before, test::allocations());
    TEST_ASSERT_EQUAL_size_t(can::kMaxObjects, count);
    auto expected = places.begin();
    std::set<std::uint16_t> numbers;
    for (const can::ObjectMessage& object : out) {
      TEST_ASSERT_EQUAL_DOUBLE(*expected, *object.x_m);
      ++expected;
      TEST_ASSERT_TRUE(numbers.insert(object.id).second);
    }
  }
}

}  // namespace
