// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/includes/definitions.hpp"

namespace {

using namespace kerb::test;

const std::string kHead = "// SPDX-License-Identifier: Apache-2.0\n";

TEST(every_name_of_the_project_is_defined_in_one_file) {
  const ClashReport report = check_definitions(KERB_SOURCE_DIR);
  std::printf("%zu names\n", report.names);
  TEST_ASSERT_GREATER_THAN_MESSAGE(1000, report.names, "where is the project?");
  for (const std::string& line : report.complaints) std::printf("%s\n", line.c_str());
  TEST_ASSERT_EQUAL_MESSAGE(0, report.complaints.size(), "see the lines above");
}

/// "line name", a line each; "lost" if the text cannot be read.
std::string seen_in(std::string_view text) {
  const std::optional<std::vector<Definition>> found = definitions(text);
  if (!found) return "lost";
  std::string all;
  for (const Definition& d : *found) all += std::to_string(d.line) + " " + d.name + "\n";
  return all;
}

TEST(definitions_are_read_as_the_compiler_reads_them) {
  struct Case {
    const char* text;
    const char* expected;
  };
  const Case cases[] = {
      {"namespace a::b {\nstruct S {\n  void f() {}\n  struct Inner {};\n};\n}\n", "2 a::b::S\n"},
      {"namespace a { inline namespace v { enum class E : int { x }; } }", "1 a::v::E\n"},
      {"namespace { struct S {}; void f() {} }\nnamespace a { namespace { union U {}; } }", ""},
      {"static int f() { return 0; }\nint main() { return f(); }\nTEST(a_b) { f(); }", ""},
      {"struct S;\nvoid f(int a);\nextern int x;\nusing T = int;\nclass S;\n", ""},
      {"class alignas(16) [[nodiscard]] S final : public Base<int> { int x{1}; } s;", "1 S\n"},
      {"template <typename T, int N = (1 > 0)>\nstruct S<T*, N> : T {};\n", "2 S<T*,N>\n"},
      {"struct A::Impl { int f() { return 1; } };", "1 A::Impl\n"},
      {"struct { int x; } unnamed;\nenum { a, b };", ""},
      {"inline int f(int a, const std::map<int, Box>& b = {}, char) { return a; }",
       "1 f(int,const std::map<int,Box>&,char)\n"},
      {"int f(int a) { return a; }\nint f(double) { return 0; }", "1 f(int)\n2 f(double)\n"},
      {"template <typename T>\nauto f(T&& t) -> decltype(t.g()) { return t.g(); }", "2 f(T&&)\n"},
      {"A::A(int x) : a_{x}, b_(x), c_{[] { return 1; }} { go(); }\nvoid A::go() const noexcept {}",
       "1 A::A(int)\n2 A::go()\n"},
      {"A::~A() { close(); }\nbool A<int>::ok() { return true; }", "1 A::~A()\n2 A<int>::ok()\n"},
      {"bool operator==(A a, A b) { return a.x == b.x; }\nint A::operator()(int x) { return x; }",
       "1 operator==(A,A)\n2 A::operator()(int)\n"},
      {"struct O : F { using F::operator()...; };\nA::operator bool() const { return true; }",
       "1 O\n2 A::operator bool()\n"},
      {"const int x[] = {1, 2};\nauto l = [](int a) { return a; };\nint y{3};\nstruct S {};",
       "4 S\n"},
      {"std::array<int, static_cast<int>(E::count)> f(int n) { return {}; }", "1 f(int)\n"},
      {"extern \"C\" {\nint f(void) { return 0; }\n}\nstruct S {};", "2 f(void)\n4 S\n"},
      {"extern \"C\" int f(void) { return 0; }", "1 f(void)\n"},
      {"__global__ void __launch_bounds__(256) k(int n) {}", "1 k(int)\n"},
      {"// struct A {\n/* struct B {\n*/ const char* s = \"struct C { \\\" {\";\n"
       "const char* r = R\"x(struct D { )\" )x\";\nchar c = '{', q = '\\'';\nint n = 1'000;\n"
       "#define M(x) \\\n  struct x {\nstruct S {};",
       "9 S\n"},
      {"namespace a {\nstruct S {};\n", "lost"},
      {"struct S {};\n}\n", "lost"},
      {"int f(int a;\nstruct S {};\n", "lost"},
      {"void f() { {\n", "lost"},
  };
  for (const Case& c : cases)
    TEST_ASSERT_EQUAL_STRING_MESSAGE(c.expected, seen_in(c.text).c_str(), c.text);
}

/// The complaints of a small tree: one of the product, two suites and a header of tests.
std::string complaints_with(const char* path, const std::string& text) {
  const TempFolder tree;
  tree.write("gpu/hog/scene.hpp", kHead + "namespace kerb { struct Scene {}; }\n");
  tree.write("gpu/hog/scene_cuda.cu",
             kHead + "namespace kerb { int load(Scene& s) { return 1; } }\n");
  tree.write("gpu/hog/scene_none.cpp",
             kHead + "namespace kerb { int load(Scene&) { return 0; } }\n");
  tree.write("tests/unit/gpu/pictures.hpp",
             kHead + "namespace kerb::test { struct Scene {};\ninline int sum(Scene s) {} }\n");
  tree.write("tests/unit/gpu/test_a.cpp",
             kHead + "namespace { struct Own {}; int helper() {} }\nTEST(works) {}\n");
  tree.write("tests/unit/gpu/test_b.cpp",
             kHead + "namespace { struct Own {}; int helper() {} }\nTEST(works) {}\n");
  if (path != nullptr) tree.write(path, kHead + text);
  std::string all;
  const ClashReport report = check_definitions(tree.path());
  for (const std::string& line : report.complaints) all += line + "\n";
  return all;
}

TEST(a_tree_without_clashes_passes) {
  TEST_ASSERT_EQUAL_STRING("", complaints_with(nullptr, "").c_str());
  TEST_ASSERT_EQUAL_STRING(
      "", complaints_with("tests/unit/gpu/test_c.cpp",
                          "namespace kerb::test { struct Scene; int sum(Scene a, int b) {} }\n")
              .c_str());
}

TEST(each_clash_is_found) {
  struct Case {
    const char* path;
    const char* text;
    const char* expected;
  };
  const Case cases[] = {
      {"tests/unit/gpu/test_dense.hpp", "namespace kerb::test {\nclass Scene { int x; };\n}\n",
       "tests/unit/gpu/test_dense.hpp:3: defines kerb::test::Scene, as "
       "tests/unit/gpu/pictures.hpp does\n"},
      {"tests/unit/gpu/test_c.cpp", "namespace kerb {\nnamespace test {\nenum Scene { a };\n}\n}\n",
       "tests/unit/gpu/test_c.cpp:4: defines kerb::test::Scene, as tests/unit/gpu/pictures.hpp "
       "does\n"},
      {"tests/unit/gpu/test_c.cpp", "namespace kerb::test { int sum(Scene other = {}) {} }\n",
       "tests/unit/gpu/test_c.cpp:2: defines kerb::test::sum(Scene), as "
       "tests/unit/gpu/pictures.hpp does\n"},
      {"tests/unit/gpu/test_c.cpp", "namespace kerb { int load(Scene& x) {} }\n",
       "tests/unit/gpu/test_c.cpp:2: defines kerb::load(Scene&), as gpu/hog/scene_cuda.cu does\n"},
      {"tests/unit/gpu/test_c.cpp", "namespace kerb {\n",
       "tests/unit/gpu/test_c.cpp:1: its braces do not match, as this check reads it\n"},
  };
  for (const Case& c : cases)
    TEST_ASSERT_EQUAL_STRING(c.expected, complaints_with(c.path, c.text).c_str());
}

}  // namespace
