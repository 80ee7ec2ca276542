// SPDX-License-Identifier: Apache-2.0
#include "tests/board/process.hpp"

#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/board/posix.hpp"

namespace kerb::board {
namespace {

struct Stat {
  char state = 'X';
  pid_t parent = -1;
};

/// Of "ID (NAME) STATE PARENT ..."; the name may be anything.
std::optional<Stat> stat_of(const std::string& process) {
  std::ifstream file("/proc/" + process + "/stat");
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  Stat out;
  const auto name_end = line.rfind(") ");
  if (name_end == std::string::npos ||
      std::sscanf(line.c_str() + name_end, ") %c %d", &out.state, &out.parent) != 2)
    return std::nullopt;
  return out;
}

}  // namespace

std::optional<pid_t> child_of(pid_t parent) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto stat = stat_of(name);
    if (stat && stat->parent == parent && stat->state != 'Z') return std::stoi(name);
  }
  return std::nullopt;
}

bool is_gone(pid_t process) {
  const auto stat = stat_of(std::to_string(process));
  return !stat || stat->state == 'Z' || stat->state == 'X';
}

Process::Process(const std::vector<std::string>& command, std::string output_path,
                 const std::vector<std::string>& environment)
    : output_path_(std::move(output_path)) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const File output(output_path_, O_WRONLY | O_CREAT | O_TRUNC);
  id_ = ::fork();
  if (id_ < 0) fail_with_errno("fork");
  if (id_ > 0) return;
  ::dup2(output.get(), STDOUT_FILENO);
  ::dup2(output.get(), STDERR_FILENO);
  for (const std::string& setting : environment) ::putenv(const_cast<char*>(setting.c_str()));
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

Process::~Process() {
  if (!is_running()) return;
  signal(SIGKILL);
  wait(5);
}

bool Process::is_running() { return !wait(0); }

void Process::signal(int number) const {
  if (!code_ && ::kill(id_, number) != 0) fail_with_errno("signal a process");
}

std::optional<int> Process::wait(double seconds) {
  const auto start = RealClock::now();
  while (!code_) {
    int status = 0;
    if (::waitpid(id_, &status, WNOHANG) == id_) {
      code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      break;
    }
    if (seconds_since(start) >= seconds) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return code_;
}

std::string Process::output() const {
  std::ifstream file(output_path_);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace kerb::board
