// SPDX-License-Identifier: Apache-2.0
// The known answer of the detector's self-test: our models find the built-in person, on every
// backend that this machine has.
#include "firmware/vision/known_person.hpp"

#include <cstdio>
#include <string>
#include <vector>

#include "gpu/hog/model_file.hpp"
#include "tests/support/test.hpp"

using namespace kerb;

namespace {

hog::Model model(const char* name) {
  Result<hog::Model> loaded = hog::load(std::string{KERB_SOURCE_DIR "/models/"} + name + ".kwm");
  TEST_ASSERT_OK(loaded);
  return std::move(*loaded);
}

/// The CPU, and CUDA where it works.
std::vector<BackendChoice> backends() {
  std::vector<BackendChoice> out{BackendChoice::cpu};
  if (Context::create(BackendChoice::cuda)) {
    out.push_back(BackendChoice::cuda);
  } else {
    std::puts("no CUDA here: the CPU alone");
  }
  return out;
}

TEST(our_models_find_the_built_in_person_on_every_backend) {
  for (const BackendChoice backend : backends()) {
    const Result<Context> context = Context::create(backend);
    TEST_ASSERT_OK(context);
    Workers workers{2};
    for (const char* name : {"default", "default-free", "default-grey"}) {
      const hog::Model shipped = model(name);
      TEST_ASSERT_TRUE_MESSAGE(knows_person(shipped), name);
      const Status found = find_known_person(*context, workers, shipped);
      TEST_ASSERT_TRUE_MESSAGE(static_cast<bool>(found), name);
    }
  }
}

TEST(a_model_that_has_gone_blind_is_noticed) {
  const Result<Context> context = Context::create(BackendChoice::cpu);
  Workers workers{1};
  hog::Model blind = model("default-grey");
  blind.advice.threshold = 1000;
  TEST_ASSERT_ERROR(Errc::not_found, find_known_person(*context, workers, blind));
}

TEST(another_model_may_not_know_the_person) {
  hog::Model other = model("default-grey");
  other.name = "mine";
  TEST_ASSERT_FALSE(knows_person(other));
}

TEST(the_picture_is_the_same_in_grey_and_in_colour) {
  const std::vector<std::uint8_t> grey = known_picture(PixelFormat::grey8);
  const std::vector<std::uint8_t> rgb = known_picture(PixelFormat::rgb24);
  TEST_ASSERT_EQUAL_size_t(std::size_t{kKnownWidth} * kKnownHeight, grey.size());
  TEST_ASSERT_EQUAL_size_t(3 * grey.size(), rgb.size());
  for (std::size_t i = 0; i < grey.size(); ++i) TEST_ASSERT_EQUAL_UINT8(grey[i], rgb[3 * i + 1]);
}

}  // namespace
