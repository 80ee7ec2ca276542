// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>
#include <vector>

#include "tests/support/temp_folder.hpp"
#include "tests/support/unity.hpp"
#include "tests/unit/includes/include_rules.hpp"

namespace {

using namespace kerb::test;

const std::string kSpdx = "// SPDX-License-Identifier: Apache-2.0\n";
const std::string kHead = kSpdx + "#pragma once\n";

std::vector<std::string> complaints_of_tree(const std::filesystem::path& top) {
  std::vector<std::string> all;
  for (const SourceFile& file : read_tree(top))
    for (std::string& line : complaints(file, top)) all.push_back(std::move(line));
  return all;
}

void test_the_project_keeps_to_the_arrows() {
  const std::vector<SourceFile> files = read_tree(KERB_SOURCE_DIR);
  TEST_ASSERT_GREATER_THAN_MESSAGE(30, files.size(), "where is the project?");
  std::size_t includes = 0;
  for (const SourceFile& file : files) includes += file.includes.size();
  TEST_ASSERT_GREATER_THAN(100, includes);
  std::printf("%zu files, %zu includes\n", files.size(), includes);
  const std::vector<std::string> found = complaints_of_tree(KERB_SOURCE_DIR);
  for (const std::string& line : found) std::printf("%s\n", line.c_str());
  TEST_ASSERT_EQUAL_MESSAGE(0, found.size(), "see the lines above");
}

/// A small project that keeps to the rules.
void write_good_tree(const TempFolder& tree) {
  struct File {
    const char* path;
    std::string text;
  };
  const File files[] = {
      {"hal/clock.hpp", kHead + "#include <chrono>\n#include <cstdint>\n"},
      {"hal/fake/clock.hpp", kHead + "#include \"hal/clock.hpp\"\n"},
      {"drivers/base/fd.hpp", kHead + "#include <unistd.h>\n"},
      {"drivers/v4l2/camera.hpp", kHead + "#include \"hal/clock.hpp\"\n"},
      {"drivers/v4l2/camera.cpp", kSpdx +
                                      "#include \"drivers/v4l2/camera.hpp\"\n#include "
                                      "\"drivers/base/fd.hpp\"\n#include <linux/videodev2.h>\n"},
      {"drivers/replay/folder.cpp", kSpdx + "#include <opencv2/core.hpp>\n"},
      {"gpu/image/grey.hpp", kHead + "#include \"hal/clock.hpp\"\n"},
      {"gpu/image/grey_cuda.cu",
       kSpdx + "#include <cuda_runtime.h>\n#include \"gpu/image/grey.hpp\"\n"},
      {"gpu/image/warp.cuh", kHead + "#include <cuda_runtime.h>\n"},
      {"gpu/image/detail/launch.hpp", kHead + "#include <cuda_runtime.h>\n"},
      {"gpu/image/detail/outer.hpp", kHead + "#include \"gpu/image/detail/launch.hpp\"\n"},
      {"gpu/image/cuda_status.hpp", kHead + "#include <cuda_runtime_api.h>\n"},
      {"gpu/image/stream_cuda.hpp", kHead + "#include <cuda_runtime.h>\n"},
      {"firmware/health/health.hpp", kHead + "#include \"hal/clock.hpp\"\n"},
      {"firmware/main/main.cpp",
       kSpdx + "#include \"drivers/v4l2/camera.hpp\"\n#include "
               "\"firmware/health/health.hpp\"\n#include \"gpu/image/grey.hpp\"\n"
               "#include \"firmware/main/wiring.hpp\"\n"},
      {"firmware/main/wiring.hpp", kHead + "#include \"drivers/base/fd.hpp\"\n"},
      {"firmware/main/version.hpp.in", "@VERSION@"},
      {"firmware/main/run.cpp", kSpdx + "#include \"firmware/main/version.hpp\"\n"},
      {"tools/kerblab/main.cpp", kSpdx + "#include <opencv2/core.hpp>\n#include "
                                         "\"drivers/v4l2/camera.hpp\"\n"},
      {"tests/support/unity.hpp", kHead},
      {"tests/unit/test.cpp", kSpdx + "#include \"tests/support/unity.hpp\"\n#include "
                                      "\"gpu/image/grey.hpp\"\n#include <opencv2/core.hpp>\n"},
  };
  for (const File& file : files) static_cast<void>(tree.write(file.path, file.text));
}

void test_a_tree_that_keeps_to_the_rules_passes() {
  const TempFolder tree;
  write_good_tree(tree);
  for (const std::string& line : complaints_of_tree(tree.path())) TEST_FAIL_MESSAGE(line.c_str());
}

void test_each_violation_is_found() {
  struct Case {
    const char* path;
    std::string text;
    const char* expected;
  };
  const auto quoted = [](const char* target) { return kHead + "#include \"" + target + "\"\n"; };
  const auto angle = [](const char* target) { return kHead + "#include <" + target + ">\n"; };
  const Case cases[] = {
      {"hal/bad.hpp", quoted("gpu/image/grey.hpp"), "hal includes hal alone"},
      {"hal/bad.hpp", quoted("drivers/base/fd.hpp"), "hal includes hal alone"},
      {"hal/bad.hpp", quoted("firmware/health/health.hpp"), "hal includes hal alone"},
      {"hal/bad.hpp", angle("unistd.h"), "standard library alone"},
      {"hal/bad.hpp", angle("fmt/format.h"), "standard library alone"},
      {"hal/bad.hpp", angle("cuda_runtime.h"), "standard library alone"},
      {"drivers/gpio/bad.hpp", quoted("drivers/v4l2/camera.hpp"), "does not know another"},
      {"drivers/base/bad.hpp", quoted("drivers/v4l2/camera.hpp"), "does not know another"},
      {"drivers/gpio/bad.hpp", quoted("gpu/image/grey.hpp"), "drivers include hal and drivers"},
      {"drivers/gpio/bad.hpp", quoted("firmware/health/health.hpp"), "drivers include hal"},
      {"drivers/gpio/bad.hpp", angle("opencv2/core.hpp"), "OpenCV is for"},
      {"drivers/replay/bad.hpp", angle("cuda_runtime.h"), "CUDA is for gpu"},
      {"gpu/image/bad.hpp", quoted("drivers/base/fd.hpp"), "gpu includes hal and gpu"},
      {"gpu/image/bad.cu", quoted("firmware/health/health.hpp"), "gpu includes hal and gpu"},
      {"gpu/image/bad.hpp", angle("cuda_runtime.h"), "no CUDA header"},
      {"gpu/image/bad.hpp", angle("cub/cub.cuh"), "no CUDA header"},
      {"gpu/image/bad.hpp", quoted("gpu/image/warp.cuh"), "no CUDA header"},
      {"gpu/image/bad.hpp", quoted("gpu/image/detail/outer.hpp"), "no CUDA header"},
      {"gpu/image/bad.cpp", angle("opencv2/core.hpp"), "OpenCV is for"},
      {"firmware/health/bad.hpp", quoted("drivers/v4l2/camera.hpp"), "main alone drivers"},
      {"firmware/health/main.cpp", quoted("gpu/image/grey.hpp"), "main alone drivers"},
      {"firmware/health/bad.hpp", quoted("firmware/main/wiring.hpp"), "nobody includes main"},
      {"firmware/health/bad.hpp", angle("opencv2/core.hpp"), "OpenCV is for"},
      {"firmware/main/bad.hpp", angle("cuda_runtime.h"), "CUDA is for gpu"},
      {"firmware/main/bad.hpp", quoted("tests/support/unity.hpp"), "only tests include tests"},
      {"tools/kerblab/bad.hpp", quoted("tests/support/unity.hpp"), "only tests include tests"},
      {"gpu/image/bad.hpp", quoted("tools/kerblab/main.cpp"), "only tools and tests"},
      {"firmware/main/bad.hpp", quoted("tools/kerblab/main.cpp"), "only tools and tests"},
      {"gpu/image/bad.hpp", quoted("grey.hpp"), "not by its path from the top"},
      {"gpu/image/bad.hpp", quoted("../image/grey.hpp"), "not by its path from the top"},
      {"gpu/image/bad.hpp", quoted("gpu/../hal/clock.hpp"), "not by its path from the top"},
      {"gpu/image/bad.hpp", quoted("gpu/image/none.hpp"), "no such file"},
      {"gpu/image/bad.hpp", angle("hal/clock.hpp"), "ours are included in quotes"},
      {"gpu/image/bad.hpp", kSpdx, "no #pragma once"},
      {"gpu/image/bad.cuh", kSpdx + "// #pragma once\n", "no #pragma once"},
      {"gpu/image/bad.h", "#pragma once\n", "no SPDX line"},
      {"tests/unit/bad.cpp", "\n" + kSpdx, "no SPDX line"},
  };
  for (const Case& c : cases) {
    const TempFolder tree;
    write_good_tree(tree);
    static_cast<void>(tree.write(c.path, c.text));
    const std::vector<std::string> found = complaints_of_tree(tree.path());
    TEST_ASSERT_EQUAL_MESSAGE(1, found.size(), c.text.c_str());
    const bool as_expected =
        found[0].find(c.expected) != std::string::npos && found[0].find(c.path) == 0;
    TEST_ASSERT_TRUE_MESSAGE(as_expected, found[0].c_str());
  }
}

void test_includes_are_read_as_the_compiler_reads_them() {
  const SourceFile file = read_source("x.cpp",
                                      "// #include \"a\"\n"
                                      "/* #include \"b\"\n"
                                      "#include \"c\"\n"
                                      "*/ #include \"d\"\n"
                                      "  #  include   <e>  // why\n"
                                      "const char* s = \"/*\";\n"
                                      "#include \"f\"\n"
                                      "const char* t = \"\\\"//\"; /**/\n"
                                      "#ifdef X\n"
                                      "#include <g>\n"
                                      "#endif\n"
                                      "#include MACRO\n"
                                      "#include \"h\"");
  std::string seen;
  for (const SourceFile::Include& include : file.includes)
    seen += std::to_string(include.line) + (include.quoted ? "q" : "a") + include.target + " ";
  TEST_ASSERT_EQUAL_STRING("4qd 5ae 7qf 10ag 13qh ", seen.c_str());
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_includes_are_read_as_the_compiler_reads_them);
  RUN_TEST(test_a_tree_that_keeps_to_the_rules_passes);
  RUN_TEST(test_each_violation_is_found);
  RUN_TEST(test_the_project_keeps_to_the_arrows);
  return UNITY_END();
}
