// SPDX-License-Identifier: Apache-2.0
#include "gpu/hog/shipped_models.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "gpu/hog/detector.hpp"
#include "gpu/hog/model_file.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"

using namespace kerb::hog;
namespace fs = std::filesystem;

namespace {

fs::path g_folder;

}  // namespace

SET_UP() {
  g_folder = kerb::test::make_temp_folder();
  unsetenv(kModelsVariable);
}
TEAR_DOWN() {
  unsetenv(kModelsVariable);
  fs::remove_all(g_folder);
}

namespace {

void write(const fs::path& path) { std::ofstream{path} << "anything"; }

TEST(the_variable_names_the_folder) {
  setenv(kModelsVariable, g_folder.c_str(), 1);
  TEST_ASSERT_EQUAL_STRING(g_folder.c_str(), shipped_models().c_str());
  TEST_ASSERT_EQUAL_STRING("", shipped_model(kDefaultModel).c_str());
  write(g_folder / "default.kwm");
  TEST_ASSERT_EQUAL_STRING((g_folder / "default.kwm").c_str(),
                           shipped_model(kDefaultModel).c_str());
}

TEST(a_folder_that_is_not_there_has_no_models) {
  setenv(kModelsVariable, "/nowhere/models", 1);
  TEST_ASSERT_EQUAL_STRING("/nowhere/models", shipped_models().c_str());
  TEST_ASSERT_EQUAL_STRING("", shipped_model(kDefaultModel).c_str());
}

TEST(an_empty_variable_is_none) {
  const std::string without = shipped_models();
  setenv(kModelsVariable, "", 1);
  TEST_ASSERT_EQUAL_STRING(without.c_str(), shipped_models().c_str());
}

TEST(a_build_has_the_models_of_its_sources) {
  // This program lies in the build's bin/, beside which there is share/kerbwatch/models.
  TEST_ASSERT_TRUE_MESSAGE(fs::exists(fs::path{shipped_models()} / "README.md"),
                           shipped_models().c_str());
  TEST_ASSERT_TRUE(fs::equivalent(shipped_models(), KERB_SOURCE_MODELS));
}

TEST(every_model_that_comes_with_it_loads_and_is_called_as_its_file) {
  int count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator{KERB_SOURCE_MODELS}) {
    if (entry.path().extension() != ".kwm") continue;
    ++count;
    const kerb::Result<Model> model = load(entry.path().string());
    TEST_ASSERT_TRUE_MESSAGE(model, entry.path().c_str());
    TEST_ASSERT_EQUAL_STRING(entry.path().stem().c_str(), model->name.c_str());
    const bool is_grey = model->name == "default-grey" || model->name == "thermal";
    TEST_ASSERT_TRUE_MESSAGE(needs_colour(*model) != is_grey, model->name.c_str());
    TEST_ASSERT_TRUE_MESSAGE(fs::exists(fs::path{entry.path()}.replace_extension(".md")),
                             "a model without a card");
  }
  TEST_ASSERT_EQUAL_INT(8, count);
}

TEST(the_grey_variant_stands_beside_its_model) {
  const std::string model = g_folder / "people.kwm";
  write(model);
  TEST_ASSERT_EQUAL_STRING("", grey_variant(model).c_str());
  write(g_folder / "people-grey.kwm");
  TEST_ASSERT_EQUAL_STRING((g_folder / "people-grey.kwm").c_str(), grey_variant(model).c_str());
  TEST_ASSERT_EQUAL_STRING("", grey_variant("").c_str());
}

TEST(so_does_the_thermal_one) {
  const std::string model = g_folder / "people.kwm";
  write(model);
  write(g_folder / "people-grey.kwm");
  TEST_ASSERT_EQUAL_STRING("", thermal_variant(model).c_str());
  write(g_folder / "people-thermal.kwm");
  TEST_ASSERT_EQUAL_STRING((g_folder / "people-thermal.kwm").c_str(),
                           thermal_variant(model).c_str());
  TEST_ASSERT_EQUAL_STRING("", thermal_variant("").c_str());
}

}  // namespace
