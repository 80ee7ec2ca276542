// SPDX-License-Identifier: Apache-2.0
// kerblab train, as a person meets it: on a small part of the data where that is, and on pictures
// made by code.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <sstream>
#include <string>
#include <thread>

#include "gpu/hog/model_file.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/tools/train_pictures.hpp"

namespace fs = std::filesystem;

namespace {

fs::path g_folder;

}  // namespace

SET_UP() { g_folder = kerb::test::make_temp_folder(); }
TEAR_DOWN() { fs::remove_all(g_folder); }

namespace {

using Json = nlohmann::json;

std::string read(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

struct Outcome {
  int code = -1;
  std::string err;
};

/// Runs `kerblab ARGUMENTS` through the shell, in the test's folder.
Outcome kerblab(const std::string& arguments) {
  const std::string err = g_folder / "err";
  const std::string command =
      "cd " + g_folder.string() + " && " + KERBLAB + " " + arguments + " 2>" + err;
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(err)};
}

void expect_bad_input(const Outcome& o, const std::string& part) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(2, o.code, o.err.c_str());
  TEST_ASSERT_EQUAL_INT_MESSAGE(1, std::count(o.err.begin(), o.err.end(), '\n'), o.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(o.err.find("kerblab: error: ") == 0, o.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(o.err.find(part) != std::string::npos, o.err.c_str());
}

void write_picture(const std::string& name, kerb::train::Pixels pixels) {
  fs::create_directories((g_folder / name).parent_path());
  TEST_ASSERT_TRUE(cv::imwrite((g_folder / name).string(),
                               cv::Mat{pixels.height, pixels.width, CV_8UC1, pixels.grey.data()}));
}

void make_pictures() {
  for (int i = 0; i < 40; ++i)
    write_picture("people/" + std::to_string(i) + ".png",
                  kerb::test::make_crop(32, 64, 1000 + static_cast<std::uint64_t>(i)));
  for (int i = 0; i < 6; ++i)
    write_picture("places/" + std::to_string(i) + ".png",
                  kerb::test::make_place(120, 110, 7000 + static_cast<std::uint64_t>(i)));
}

const std::string kData = " --positives people --negatives places --window 32x64 --backend cpu ";
const std::string kCascade = "train cascade" + kData +
                             "--sample 8 --stages 4 --f-max 0.5 --negatives-per-stage 80 "
                             "--max-learners 8 --target 0 --cost 30 ";

/// Starts it, and kills it for good once its checkpoint is another than before. False when it was
/// through first.
bool run_until_next_checkpoint(const std::string& arguments, const fs::path& checkpoint) {
  const std::string before = read(checkpoint);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::chdir(g_folder.c_str()) != 0) ::_exit(3);
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, STDERR_FILENO);
    const std::string command = std::string{"exec "} + KERBLAB + " " + arguments;
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    ::_exit(3);
  }
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (const std::string now = read(checkpoint); !now.empty() && now != before) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  TEST_ASSERT_TRUE((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) ||
                   (WIFEXITED(status) && WEXITSTATUS(status) == 0));
  return WIFSIGNALED(status);
}

TEST(a_training_killed_again_and_again_gives_the_same_bytes) {
  make_pictures();
  const Outcome whole = kerblab(kCascade + "--out whole.kwm");
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, whole.code, whole.err.c_str());
  int kills = 0;
  while (run_until_next_checkpoint(kCascade + "--out killed.kwm --resume",
                                   g_folder / "killed.kwm.checkpoint")) {
    fs::remove(g_folder / "killed.kwm");  // there if the kill came when its work was done
    TEST_ASSERT_LESS_THAN(40, ++kills);
  }
  TEST_ASSERT_GREATER_THAN(2, kills);
  TEST_ASSERT_TRUE(read(g_folder / "whole.kwm") == read(g_folder / "killed.kwm"));
  TEST_ASSERT_FALSE(fs::exists(g_folder / "killed.kwm.checkpoint"));
}

TEST(one_thread_and_two_give_the_same_bytes_and_a_log) {
  make_pictures();
  const std::string svm =
      "train svm" + kData + "--kind cells --random-negatives 60 --hard-negatives 40 --margin -1 ";
  for (const std::string& trainer : {kCascade, svm}) {
    TEST_ASSERT_EQUAL_INT(0, kerblab(trainer + "--threads 1 --out one.kwm").code);
    TEST_ASSERT_EQUAL_INT(0, kerblab(trainer + "--threads 2 --out two.kwm").code);
    TEST_ASSERT_TRUE(read(g_folder / "one.kwm") == read(g_folder / "two.kwm"));
    TEST_ASSERT_FALSE(read(g_folder / "one.kwm").empty());
    std::istringstream log{read(g_folder / "one.kwm.log.jsonl")};
    int lines = 0;
    for (std::string line; std::getline(log, line); ++lines)
      TEST_ASSERT_TRUE_MESSAGE(Json::accept(line), line.c_str());
    TEST_ASSERT_GREATER_THAN(3, lines);
    TEST_ASSERT_EQUAL_INT(0, kerblab("model info one.kwm >info").code);
  }
}

TEST(pictures_may_be_listed_and_show_people_whose_truth_is_given) {
  make_pictures();
  std::string list, half = "file,x,y,w,h,class\n", whole = half;
  for (int i = 0; i < 6; ++i) {
    const std::string name = std::to_string(i) + ".png";
    list += "places/" + name + "\n";
    half += name + ",0,0,60,110,cyclist\n" + name + ",60,0,60,110,bin\n";
    whole += name + ",-100,-100,500,500,person\n";
  }
  std::ofstream{g_folder / "list"} << list;
  std::ofstream{g_folder / "half.csv"} << half;
  std::ofstream{g_folder / "whole.csv"} << whole;
  const std::string channels =
      "train channels --grey --positives people --window 32x64 --backend cpu --rounds 4,8 "
      "--pool 60 --random-negatives 80 --hard-negatives 40 ";
  TEST_ASSERT_EQUAL_INT(0, kerblab(channels + "--negatives places --out folder.kwm").code);
  TEST_ASSERT_EQUAL_INT(0, kerblab(channels + "--negatives @list --out list.kwm").code);
  const Outcome avoided =
      kerblab(channels + "--negatives @list --truth half.csv --out half.kwm --least-height 40");
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, avoided.code, avoided.err.c_str());
  TEST_ASSERT_TRUE(read(g_folder / "folder.kwm") == read(g_folder / "list.kwm"));
  TEST_ASSERT_FALSE(read(g_folder / "list.kwm") == read(g_folder / "half.kwm"));
  expect_bad_input(kerblab(channels + "--negatives @list --truth whole.csv --out m.kwm"),
                   "hold no window");
  expect_bad_input(kerblab(channels + "--negatives @list --truth none.csv --out m.kwm"),
                   "none.csv");
}

TEST(bad_pictures_and_folders_are_named_and_nothing_is_written) {
  make_pictures();
  fs::create_directory(g_folder / "empty");
  const std::string out = " --out m.kwm --window 32x64 --backend cpu";
  const auto cascade = [&](const std::string& people, const std::string& places) {
    return kerblab("train cascade --positives " + people + " --negatives " + places + out);
  };
  expect_bad_input(cascade("nobody", "places"), "nobody");
  expect_bad_input(cascade("empty", "places"), "empty");
  expect_bad_input(cascade("people", "empty"), "empty");
  expect_bad_input(cascade("people", "''"), "--negatives");
  write_picture("small/tiny.png", kerb::test::make_place(31, 64, 1));
  expect_bad_input(cascade("small", "places"), "tiny.png");
  expect_bad_input(cascade("people", "small"), "tiny.png");
  fs::create_directory(g_folder / "broken");
  std::ofstream{g_folder / "broken/half.png"} << read(g_folder / "people/0.png").substr(0, 200);
  expect_bad_input(cascade("broken", "places"), "half.png");
  std::ofstream{g_folder / "broken/half.png"} << "no picture at all";
  expect_bad_input(cascade("people", "broken"), "half.png");
  expect_bad_input(kerblab(kCascade + "--out nowhere/m.kwm"), "nowhere");
  expect_bad_input(kerblab(kCascade + "--out m.kwm --d-min 2"), "--d-min");
  expect_bad_input(kerblab("train svm" + kData + "--window 33x64 --out m.kwm"), "");
  expect_bad_input(kerblab("train svm" + kData + "--cost 0 --out m.kwm"), "--cost");
  expect_bad_input(kerblab(kCascade + "--out m.kwm --hold-out 1000"), "--hold-out");
  expect_bad_input(kerblab(kCascade + "--out m.kwm --name a/b"), "--name");
  expect_bad_input(kerblab(kCascade + "--out -"), "--out");
  expect_bad_input(kerblab(kCascade + "--out m.kwm --judge-scale 0.5"), "--judge-scale");
  expect_bad_input(kerblab(kCascade + "--out people/0.png"), "overwrite");
  expect_bad_input(kerblab("train"), "");
  for (const fs::directory_entry& entry : fs::directory_iterator{g_folder})
    TEST_ASSERT_TRUE_MESSAGE(entry.path().filename().string().find("m.kwm") == std::string::npos,
                             entry.path().c_str());
}

TEST(a_checkpoint_of_other_settings_or_pictures_is_refused) {
  make_pictures();
  const std::string resume = kCascade + "--out m.kwm --resume ";
  TEST_ASSERT_TRUE(run_until_next_checkpoint(resume, g_folder / "m.kwm.checkpoint"));
  expect_bad_input(kerblab(kCascade + "--out m.kwm"), "--resume");
  expect_bad_input(kerblab(resume + "--seed 5"), "here 'seed 5'");
  fs::rename(g_folder / "places/5.png", g_folder / "places/6.png");
  expect_bad_input(kerblab(resume), "other pictures");
  fs::rename(g_folder / "places/6.png", g_folder / "places/5.png");
  std::ofstream{g_folder / "m.kwm.checkpoint", std::ios::app} << "x";
  expect_bad_input(kerblab(resume), "m.kwm.checkpoint");
}

TEST(a_full_disk_is_said_and_the_training_goes_on_afterwards) {
  make_pictures();
  TEST_ASSERT_EQUAL_INT(0, kerblab(kCascade + "--out whole.kwm").code);
  const std::string resume = kCascade + "--out m.kwm --resume";
  // 2 blocks of 512 bytes: not even the first checkpoint fits.
  const std::string full = "ulimit -f 2; trap '' XFSZ; exec ";
  const std::string command = "cd " + g_folder.string() + " && sh -c \"" + full + KERBLAB + " " +
                              resume + "\" 2>" + (g_folder / "err").string();
  const int status = std::system(command.c_str());
  const Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(g_folder / "err")};
  TEST_ASSERT_EQUAL_INT_MESSAGE(2, outcome.code, outcome.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(outcome.err.find("m.kwm.checkpoint") != std::string::npos,
                           outcome.err.c_str());
  TEST_ASSERT_EQUAL_INT(0, kerblab(resume).code);
  TEST_ASSERT_TRUE(read(g_folder / "whole.kwm") == read(g_folder / "m.kwm"));
}

// --- real pictures

fs::path data() {
  const char* set = std::getenv("KERB_DATA");
  return fs::path{set != nullptr ? set : KERB_DATA_DEFAULT} / "ped_train";
}

/// Every nth file of a folder, as a link in one of the test's own.
void link_some(const char* from, const char* to, std::size_t nth) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator{data() / from})
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  fs::create_directory(g_folder / to);
  for (std::size_t i = 0; i < files.size(); i += nth)
    fs::create_symlink(files[i], g_folder / to / files[i].filename());
}

bool no_data() { return !fs::is_directory(data() / "pos_96x160"); }

TEST(a_small_part_of_the_data_gives_a_cascade_of_use) {
  if (no_data()) TEST_IGNORE_MESSAGE("no pictures: set KERB_DATA");
  link_some("pos_96x160", "people", 6);
  link_some("neg_full_inria", "places", 40);
  const Outcome o = kerblab(
      "train cascade --positives people --negatives places --hold-out 3 --backend cpu --out m.kwm "
      "--stages 4 --f-max 0.5 --d-min 0.99 --sample 20 --max-learners 12");
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.err.c_str());
  std::istringstream log{read(g_folder / "m.kwm.log.jsonl")};
  Json last;
  for (std::string line; std::getline(log, line);) last = Json::parse(line);
  // Of people it has not seen it misses at most a fifth, and four stages leave a tenth of the
  // windows of pictures without people.
  const std::string said = last.dump();
  TEST_ASSERT_EQUAL_INT(67, last["held_out"].get<int>());
  TEST_ASSERT_TRUE_MESSAGE(last["found_at_all"].get<double>() >= 0.8, said.c_str());
  TEST_ASSERT_TRUE_MESSAGE(last["passed"].get<double>() <= 0.1, said.c_str());
  // The threshold of a tenth of a false positive is what the model advises.
  const kerb::Result<kerb::hog::Model> model = kerb::hog::load((g_folder / "m.kwm").string());
  TEST_ASSERT_TRUE(model);
  TEST_ASSERT_FLOAT_WITHIN(1e-3F, last["threshold"].get<float>(), model->advice.threshold);
  TEST_ASSERT_TRUE(model->advice.threshold > 0);
  const std::string card = read(g_folder / "m.kwm.md");
  for (const char* part : {"kerblab train cascade", "| people | ", "67 people", "d_min 0.99"})
    TEST_ASSERT_TRUE_MESSAGE(card.find(part) != std::string::npos, card.c_str());
}

}  // namespace
