// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "gpu/hog/model_file.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/model_bytes.hpp"
#include "tests/unit/gpu/models.hpp"

using namespace kerb;
using namespace kerb::hog;
using namespace kerb::hog::test;
using kerb::test::TempFolder;

namespace {

using Bytes = std::vector<std::byte>;

/// Small ones, so that every byte can be tried.
Model tiny_dense() {
  Model model = dense_model();
  auto& m = std::get<DenseModel>(model.kind);
  m.geometry = {16, 16, 1, 2, 3, 4};
  m.weights.resize(36);
  return model;
}
/// With a network.
Model tiny_looker() {
  Model model = linear_cascade(1, 1);
  model.advice.fusion = FusionKind::suppression;
  model.look_again = look_again();
  return model;
}
std::vector<Model> tiny_models() {
  return {tiny_dense(), linear_cascade(1, 1), tree_cascade(1, 2), tiny_looker()};
}

Result<Model> parsed(const Bytes& bytes) { return parse(bytes.data(), bytes.size()); }

void says(const Result<Model>& result, Errc code, const char* words) {
  TEST_ASSERT_ERROR(code, result);
  const std::string text = describe(result.error());
  if (text.find(words) == std::string::npos) TEST_FAIL_MESSAGE((text + " != " + words).c_str());
}

TEST(the_checksum_is_crc32) {
  TEST_ASSERT_EQUAL_HEX32(0xcbf43926, crc32(reinterpret_cast<const std::byte*>("123456789"), 9));
}

TEST(models_come_back_as_they_were) {
  Model soft = tree_cascade(7, 5);
  std::get<CascadeModel>(soft.kind).cumulative = true;
  std::get<CascadeModel>(soft.kind).channels = {9, false, true, true};
  Model nameless = dense_model(3, DenseKind::cells);
  nameless.name = "";
  std::get<DenseModel>(nameless.kind).gamma = false;
  for (const Model& model : {dense_model(), dense_model(2, DenseKind::integral), nameless, soft,
                             linear_cascade(4, 6), tree_cascade(5, 6), tiny_dense()}) {
    const Bytes bytes = serialise(model);
    const Result<Model> again = parsed(bytes);
    TEST_ASSERT_OK(again);
    TEST_ASSERT_EQUAL_STRING(model.name.c_str(), again->name.c_str());
    TEST_ASSERT_EQUAL(model.kind.index(), again->kind.index());
    TEST_ASSERT_TRUE(bytes == serialise(*again));
  }
  const Result<Model> trees = parsed(serialise(soft));
  const auto& a = std::get<CascadeModel>(soft.kind);
  const auto& b = std::get<CascadeModel>(trees->kind);
  TEST_ASSERT_TRUE(b.cumulative && b.channels.magnitude && b.channels.colour);
  TEST_ASSERT_FALSE(b.channels.half_shifted);
  TEST_ASSERT_EQUAL(a.nodes.size(), b.nodes.size());
  // No padding inside: all bytes are the members'.
  TEST_ASSERT_EQUAL_MEMORY(a.nodes.data(), b.nodes.data(), a.nodes.size() * sizeof(TreeNode));
  TEST_ASSERT_EQUAL_MEMORY(a.trees.data(), b.trees.data(), a.trees.size() * sizeof(TreeLearner));
  TEST_ASSERT_EQUAL_MEMORY(a.stages.data(), b.stages.data(), a.stages.size() * sizeof(Stage));
  TEST_ASSERT_TRUE(a.leaves == b.leaves);
  const Result<Model> dense = parsed(serialise(dense_model(9)));
  TEST_ASSERT_TRUE(std::get<DenseModel>(dense_model(9).kind).weights ==
                   std::get<DenseModel>(dense->kind).weights);
  const Result<Model> linear = parsed(serialise(linear_cascade(9)));
  TEST_ASSERT_EQUAL_MEMORY(std::get<CascadeModel>(linear_cascade(9).kind).linear.data(),
                           std::get<CascadeModel>(linear->kind).linear.data(),
                           6 * sizeof(LinearLearner));
}

// What the header says, byte by byte: a file of today must be read by every later version.
TEST(the_format_is_the_documented_one) {
  Model model = tiny_dense();
  model.name = "ab";
  auto& m = std::get<DenseModel>(model.kind);
  m.kind = DenseKind::integral;
  m.clip = 0.25F;
  m.weights[35] = -1;
  m.geometry.scaling = Scaling::octaves;
  model.advice = {-0.5F, 1.25F, 4, 16, FusionKind::suppression, 0.75F, true, 2.5F, {-0.25, 3}};
  const Bytes bytes = serialise(model);
  TEST_ASSERT_EQUAL(16 + 2 + 2 + 22 + 25 + 3 + 12 + 4 + 36 * 4 + 20 + 1 + 4, bytes.size());
  TEST_ASSERT_EQUAL_MEMORY("KWMODEL\0\4\0\0\0", bytes.data(), 12);
  TEST_ASSERT_EQUAL(bytes.size(), get_u32(bytes, 12));
  TEST_ASSERT_EQUAL_MEMORY("\0\2ab", bytes.data() + 16, 4);
  TEST_ASSERT_EQUAL_HEX32(0xbf000000, get_u32(bytes, 20));  // advised threshold
  TEST_ASSERT_EQUAL_HEX32(0x3fa00000, get_u32(bytes, 24));  // scale step
  TEST_ASSERT_EQUAL(4, get_u32(bytes, 28));                 // stride
  TEST_ASSERT_EQUAL(16, get_u32(bytes, 32));                // padding
  TEST_ASSERT_EQUAL_MEMORY("\1", bytes.data() + 36, 1);     // suppression
  TEST_ASSERT_EQUAL_HEX32(0x3f400000, get_u32(bytes, 37));  // overlap
  TEST_ASSERT_EQUAL_MEMORY("\1", bytes.data() + 41, 1);     // of the smaller
  TEST_ASSERT_EQUAL(16, get_u32(bytes, 42));
  TEST_ASSERT_EQUAL_HEX32(0x3f800000, get_u32(bytes, 50));   // person_x 1
  TEST_ASSERT_EQUAL_HEX32(0x40800000, get_u32(bytes, 62));   // person_height 4
  TEST_ASSERT_EQUAL_MEMORY("\1", bytes.data() + 66, 1);      // octaves
  TEST_ASSERT_EQUAL_MEMORY("\2\1\0", bytes.data() + 67, 3);  // kind, gamma, colour
  TEST_ASSERT_EQUAL_HEX32(0x3e800000, get_u32(bytes, 74));   // clip
  TEST_ASSERT_EQUAL(36, get_u32(bytes, 82));
  TEST_ASSERT_EQUAL_HEX32(0xbf800000, get_u32(bytes, 86 + 35 * 4));
  TEST_ASSERT_EQUAL_HEX32(0x40200000, get_u32(bytes, 230));  // tracking margin
  TEST_ASSERT_EQUAL_HEX32(0, get_u32(bytes, 234));           // even
  TEST_ASSERT_EQUAL_HEX32(0xbfd00000, get_u32(bytes, 238));
  TEST_ASSERT_EQUAL_HEX32(0, get_u32(bytes, 242));  // sure
  TEST_ASSERT_EQUAL_HEX32(0x40080000, get_u32(bytes, 246));
  TEST_ASSERT_EQUAL_MEMORY("\0", bytes.data() + 250, 1);  // no network
  TEST_ASSERT_EQUAL_HEX32(crc32(bytes.data(), bytes.size() - 4), get_u32(bytes, bytes.size() - 4));

  const Bytes trees = serialise(tree_cascade(1, 2));  // "trees"
  TEST_ASSERT_EQUAL(
      16 + 2 + 5 + 22 + 25 + 5 + 5 * 4 + 2 * 12 + 3 * 12 + 9 * 28 + 12 * 4 + 20 + 1 + 4,
      trees.size());
  TEST_ASSERT_EQUAL_MEMORY("\1\5trees", trees.data() + 16, 7);
  TEST_ASSERT_EQUAL_MEMORY("\x9\1\1\1\0", trees.data() + 70, 5);
  const std::uint32_t counts[] = {2, 0, 3, 9, 12};
  for (std::size_t i = 0; i < 5; ++i) TEST_ASSERT_EQUAL(counts[i], get_u32(trees, 75 + 4 * i));
}

TEST(every_truncation_is_refused) {
  for (const Model& model : tiny_models()) {
    const Bytes whole = serialise(model);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      Bytes bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      TEST_ASSERT_ERROR(Errc::damaged, parsed(bytes));
      reseal(bytes);  // even when size and checksum hold
      TEST_ASSERT_ERROR(Errc::damaged, parsed(bytes));
    }
    Bytes longer = whole;
    longer.push_back(std::byte{0});
    says(parsed(longer), Errc::damaged, "it says it has");
    reseal(longer);
    says(parsed(longer), Errc::damaged, "left over");
  }
}

TEST(every_flipped_byte_is_refused) {
  for (const Model& model : tiny_models()) {
    Bytes bytes = serialise(model);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::byte was = bytes[i];
      for (const unsigned flip : {1U, 0x80U, 0xffU}) {
        bytes[i] = was ^ static_cast<std::byte>(flip);
        if (parsed(bytes)) TEST_FAIL_MESSAGE(("accepted with byte " + std::to_string(i)).c_str());
      }
      bytes[i] = was;
    }
    TEST_ASSERT_OK(parsed(bytes));
  }
}

/// Whoever repairs the checksum too gets an error, or a model that keeps the rules and would be
/// written as these very bytes.
bool sound_or_refused(const Bytes& bytes) {
  const Result<Model> model = parsed(bytes);
  if (!model) return false;
  TEST_ASSERT_OK(validate(*model));
  TEST_ASSERT_TRUE(bytes == serialise(*model));
  return true;
}

TEST(forged_files_are_refused_or_sound) {
  std::mt19937 random{5};
  int accepted = 0, refused = 0;
  for (const Model& model : tiny_models()) {
    const Bytes whole = serialise(model);
    for (std::size_t i = 0; i + 4 < whole.size(); ++i)
      for (const unsigned value : {0U, 1U, 0x7fU, 0x80U, 0xffU}) {
        Bytes bytes = whole;
        bytes[i] = static_cast<std::byte>(value);
        reseal(bytes);
        ++(sound_or_refused(bytes) ? accepted : refused);
      }
    for (int round = 0; round < 300; ++round) {
      Bytes bytes = whole;
      for (unsigned n = 1 + random() % 8; n > 0; --n) {
        const std::size_t at = 16 + random() % (bytes.size() - 16);
        switch (random() % 3) {
          case 0:
            bytes[at] = static_cast<std::byte>(random());
            break;
          case 1:
            bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), std::byte{1});
            break;
          default:
            bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at));
        }
      }
      reseal(bytes);
      ++(sound_or_refused(bytes) ? accepted : refused);
    }
  }
  TEST_ASSERT_TRUE(accepted > 100);  // other weights are other models
  TEST_ASSERT_TRUE(refused > 100);
}

TEST(a_network_is_written_as_documented) {
  Model without = tiny_looker();
  without.look_again.reset();
  const std::size_t at = serialise(without).size() - 5;  // the byte that says no
  const Bytes bytes = serialise(tiny_looker());
  const LookAgain look = look_again();
  TEST_ASSERT_EQUAL_MEMORY("\1", bytes.data() + at, 1);
  TEST_ASSERT_EQUAL_HEX32(0xbf800000, get_u32(bytes, at + 1));  // threshold -1
  TEST_ASSERT_EQUAL_HEX32(0x3f000000, get_u32(bytes, at + 5));  // overlap
  TEST_ASSERT_EQUAL(20, get_u32(bytes, at + 9));                // most
  TEST_ASSERT_EQUAL_HEX32(0x3e800000, get_u32(bytes, at + 13));
  const std::uint32_t numbers[] = {8, 16, 1, 12, 2, 1, 3, 3, 3, 2, 1, 27, 3, 3};
  for (std::size_t i = 0; i < std::size(numbers); ++i)
    TEST_ASSERT_EQUAL(numbers[i], get_u32(bytes, at + 17 + 4 * i));
  const std::size_t weights = at + 17 + 4 * std::size(numbers);
  TEST_ASSERT_EQUAL_MEMORY(look.network.layers[0].weights.data(), bytes.data() + weights, 27);
  TEST_ASSERT_EQUAL(look.network.layers[0].bias[2],
                    static_cast<std::int32_t>(get_u32(bytes, weights + 27 + 8)));
  TEST_ASSERT_EQUAL(weights + 27 + 24 + 9 * 4 + 4 * 32 * 3 + 4 * 8 + 4, bytes.size());
  const Result<Model> again = parsed(bytes);
  TEST_ASSERT_OK(again);
  TEST_ASSERT_TRUE(again->look_again.has_value());
  TEST_ASSERT_TRUE(look.network.layers[1].weights == again->look_again->network.layers[1].weights);
  TEST_ASSERT_TRUE(look.network.layers[1].factor == again->look_again->network.layers[1].factor);
  TEST_ASSERT_EQUAL_FLOAT(0.25F, again->look_again->cascade_share);
}

TEST(hostile_networks_are_refused) {
  Model without = tiny_looker();
  without.look_again.reset();
  const std::size_t at = serialise(without).size() - 5;
  const Bytes whole = serialise(tiny_looker());
  struct Case {
    std::size_t at;
    std::uint32_t value;
    Errc code;
    const char* expected;
  };
  const Case cases[] = {
      {at + 1, 0x7fc00000, Errc::invalid_argument, "threshold"},     // NaN
      {at + 5, 0x40000000, Errc::invalid_argument, "overlap"},       // 2
      {at + 9, 0, Errc::invalid_argument, "candidates: 1..128"},     //
      {at + 9, 129, Errc::invalid_argument, "candidates: 1..128"},   //
      {at + 13, 0x7f800000, Errc::invalid_argument, "share"},        // infinity
      {at + 17, 0x7fffffff, Errc::invalid_argument, ""},             // width
      {at + 33, 0xffffffff, Errc::damaged, "more entries"},          // layers
      {at + 33, 1, Errc::damaged, "left over"},                      //
      {at + 61, 0xffffffff, Errc::damaged, "more entries"},          // weights
      {at + 65, 0x40000000, Errc::damaged, "more entries"},          // bias
      {at + 69, 0x7fffffff, Errc::damaged, "more entries"},          // factors
      {at + 73 + 27 + 12, 0x7fc00000, Errc::invalid_argument, ""}};  // the first factor
  for (const Case& c : cases) {
    Bytes bytes = whole;
    put_u32(bytes, c.at, c.value);
    reseal(bytes);
    says(parsed(bytes), c.code, c.expected);
  }
  Bytes bytes = whole;
  bytes[at] = std::byte{2};
  reseal(bytes);
  says(parsed(bytes), Errc::damaged, "neither yes nor no");
}

TEST(a_network_belongs_to_a_model_it_fits) {
  Model model = tiny_looker();
  TEST_ASSERT_OK(validate(model));
  model.advice.fusion = FusionKind::mean_shift;
  TEST_ASSERT_ERROR(Errc::invalid_argument, validate(model));
  model.advice.fusion = FusionKind::none;
  TEST_ASSERT_OK(validate(model));
  model.look_again = look_again(1, 3);  // colour, which the cascade does not ask for
  TEST_ASSERT_ERROR(Errc::invalid_argument, validate(model));
  model = tree_cascade(1, 2);
  model.advice.fusion = FusionKind::suppression;
  model.look_again = look_again(1, 3);
  TEST_ASSERT_OK(validate(model));
  model.look_again = look_again(1, 1);  // grey, of which a colour model's picture need have none
  TEST_ASSERT_ERROR(Errc::invalid_argument, validate(model));
}

// A file as the third version wrote it: without a network.
TEST(version_3_is_still_read) {
  for (const Model& model : {tiny_dense(), tree_cascade(1, 2)}) {
    const Bytes now = serialise(model);
    Bytes old{now.begin(), now.end() - 5};
    old.insert(old.end(), now.end() - 4, now.end());
    old[8] = std::byte{3};
    reseal(old);
    const Result<Model> read = parsed(old);
    TEST_ASSERT_OK(read);
    TEST_ASSERT_TRUE(serialise(*read) == now);
    TEST_ASSERT_FALSE(read->look_again.has_value());
  }
}

// A file as the second version wrote it: without the advice for tracking.
TEST(version_2_is_still_read) {
  for (const Model& model : {tiny_dense(), linear_cascade(1, 1), tree_cascade(1, 2)}) {
    const Bytes now = serialise(model);
    Bytes old{now.begin(), now.end() - 25};
    old.insert(old.end(), now.end() - 4, now.end());
    old[8] = std::byte{2};
    reseal(old);
    const Result<Model> read = parsed(old);
    TEST_ASSERT_OK(read);
    TEST_ASSERT_TRUE(serialise(*read) == now);  // what is missing has its default
    TEST_ASSERT_EQUAL_FLOAT(4.6F, read->advice.tracking_margin);
    TEST_ASSERT_TRUE(read->advice.tracking.even == 6 - 6.6);
    TEST_ASSERT_TRUE(read->advice.tracking.sure == 10 - 6.6);
  }
}

// The tracker's settings are those of before the numbers were in the file, to the last bit.
TEST(the_default_scores_are_those_the_tracker_was_tuned_with) {
  for (const float threshold : {0.0F, 6.6F, -1.25F, 3.0F}) {
    Advice advice;
    advice.threshold = threshold;
    const TrackingScores scores = advised_tracking_scores(advice);
    TEST_ASSERT_TRUE(scores.even == 6 + (double{threshold} - 6.6));
    TEST_ASSERT_TRUE(scores.sure == 10 + (double{threshold} - 6.6));
  }
}

TEST(hostile_advice_for_tracking_is_refused) {
  const Bytes whole = serialise(tiny_dense());
  const std::size_t margin = whole.size() - 25;
  struct Case {
    std::size_t at;
    std::uint32_t value;
    const char* expected;
  };
  const Case cases[] = {{margin, 0x7fc00000, "tracking margin"},  // NaN
                        {margin, 0xbf800000, "tracking margin"},  // -1
                        {margin, 0x7f800000, "tracking margin"},  // infinity
                        {margin + 8, 0x7ff80000, "tracking scores"},
                        {margin + 8, 0x7ff00000, "tracking scores"},
                        {margin + 16, 0xfff00000, "tracking scores"},
                        {margin + 16, 0x7e37e43c, "tracking scores"}};  // 1e300
  for (const Case& c : cases) {
    Bytes bytes = whole;
    put_u32(bytes, c.at, c.value);
    reseal(bytes);
    says(parsed(bytes), Errc::invalid_argument, c.expected);
  }
}

// A file as the first version wrote it: neither advice nor scaling.
TEST(version_1_is_still_read) {
  Model model = tiny_dense();
  model.name = "ab";
  const Bytes now = serialise(model);
  Bytes old{now.begin(), now.begin() + 20};
  old.insert(old.end(), now.begin() + 42, now.begin() + 66);
  old.insert(old.end(), now.begin() + 67, now.begin() + 69);
  old.insert(old.end(), now.begin() + 70, now.end() - 25);
  old.insert(old.end(), now.end() - 4, now.end());
  old[8] = std::byte{1};
  put_u32(old, 12, static_cast<std::uint32_t>(old.size()));
  reseal(old);
  const Result<Model> read = parsed(old);
  TEST_ASSERT_OK(read);
  TEST_ASSERT_TRUE(serialise(*read) == now);
}

TEST(errors_say_what_and_where) {
  Bytes bytes = serialise(tiny_dense());
  says(parse(nullptr, 0), Errc::damaged, "not a model");
  bytes[0] = std::byte{'k'};
  says(parsed(bytes), Errc::damaged, "not a model");
  bytes[0] = std::byte{'K'};
  for (const int version : {0, 5}) {
    bytes[8] = static_cast<std::byte>(version);
    says(parsed(bytes), Errc::unsupported, "this program reads versions 1 to 4");
  }
  bytes[8] = std::byte{4};
  bytes.back() ^= std::byte{1};
  says(parsed(bytes), Errc::damaged, "checksum");
  bytes[16] = std::byte{2};
  reseal(bytes);
  says(parsed(bytes), Errc::damaged, "no such kind");
  bytes = serialise(tiny_dense());
  const std::size_t count = bytes.size() - 5 - 20 - 36 * 4 - 4;
  put_u32(bytes, count, 0xffffffff);
  reseal(bytes);
  says(parsed(bytes), Errc::damaged,
       ("at byte " + std::to_string(count + 4) + ": more entries").c_str());
  bytes = serialise(tiny_dense());
  bytes[count - 14] = std::byte{2};  // gamma
  reseal(bytes);
  says(parsed(bytes), Errc::damaged, "neither yes nor no");
  bytes = serialise(tiny_dense());
  put_u32(bytes, count + 4, 0x7fc00000);  // NaN
  reseal(bytes);
  says(parsed(bytes), Errc::invalid_argument, "not a number");
}

// A small file that claims to be huge must not be believed.
TEST(counts_are_checked_before_memory_is_taken) {
  const Bytes whole = serialise(tree_cascade(1, 2));
  for (std::size_t table = 0; table < 5; ++table)
    for (const std::uint32_t count : {0xffffffffU, 0x80000000U, 0x7fffffffU, 0x10000000U}) {
      Bytes bytes = whole;
      put_u32(bytes, 75 + 4 * table, count);
      reseal(bytes);
      says(parsed(bytes), Errc::damaged, "more entries");
    }
}

TEST(files_are_written_and_read) {
  const TempFolder folder;
  const std::string path = folder.at("a model.kwm");
  for (const Model& model : {dense_model(), linear_cascade(1, 8)}) {
    TEST_ASSERT_OK(save(model, path));  // the second over the first
    const Result<Model> again = load(path);
    TEST_ASSERT_OK(again);
    TEST_ASSERT_TRUE(serialise(model) == serialise(*again));
  }
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    files += entry.exists() ? 1 : 0;
  TEST_ASSERT_EQUAL(1, files);
}

TEST(what_cannot_be_written_leaves_nothing_behind) {
  const TempFolder folder;
  const std::string path = folder.at("model.kwm");
  Model broken = dense_model();
  std::get<DenseModel>(broken.kind).weights.pop_back();
  TEST_ASSERT_ERROR(Errc::invalid_argument, save(broken, path));
  TEST_ASSERT_ERROR(Errc::io, save(dense_model(), folder.at("no/such") + "/folder/model.kwm"));
  std::filesystem::create_directory(path);
  TEST_ASSERT_ERROR(Errc::io, save(dense_model(), path));  // a folder has the name
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    TEST_ASSERT_TRUE(entry.is_directory());
}

TEST(what_cannot_be_read_is_named) {
  const TempFolder folder;
  says(load(folder.at("none.kwm")), Errc::not_found, "none.kwm");
  says(load(folder.path().string()), Errc::invalid_argument, "not a regular file");
  says(load(folder.write("empty.kwm", "")), Errc::damaged, "empty.kwm");
  says(load(folder.write("text.kwm", "hello")), Errc::damaged, "text.kwm");
  const std::string pipe = folder.at("pipe");
  TEST_ASSERT_EQUAL(0, ::mkfifo(pipe.c_str(), 0600));
  says(load(pipe), Errc::invalid_argument, "not a regular file");  // and does not wait
  says(load("/dev/zero"), Errc::invalid_argument, "not a regular file");
  const std::string huge = folder.write("huge.kwm", "KWMODEL");
  TEST_ASSERT_EQUAL(0, ::truncate(huge.c_str(), static_cast<off_t>(kMaxModelFile) + 1));
  says(load(huge), Errc::damaged, "64 MiB");
  says(load(folder.write("cut.kwm", std::string("KWMODEL\0\1\0\0\0\xff", 13))), Errc::damaged,
       "at byte 12: cut short in");
}

}  // namespace
