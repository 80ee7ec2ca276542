// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/app/machine.hpp"

#include <sys/utsname.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#if KERB_LAB_OPENCV
#include <opencv2/core/version.hpp>
#endif

namespace kerb::lab {
namespace {

/// What the machine calls its processor; its kind where it does not say.
std::string cpu_name() {
  std::ifstream file{"/proc/cpuinfo"};
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0 && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  utsname name{};
  return ::uname(&name) == 0 ? name.machine : "unknown";
}

}  // namespace

nlohmann::ordered_json describe_machine(const Context* cuda, int threads) {
  nlohmann::ordered_json machine;
  machine["cpu"] = cpu_name();
  machine["threads"] = threads;
  double load[1] = {0};
  if (::getloadavg(load, 1) == 1) machine["load_before"] = load[0];
#if KERB_LAB_OPENCV
  machine["opencv"] = CV_VERSION;
#endif
  if (cuda != nullptr) machine["gpu"] = cuda->info().device.c_str();
  return machine;
}

Result<Backends> choose_backends(const std::string& name) {
  BackendChoice choice = BackendChoice::automatic;
  parse(name, choice);
  Result<Context> context = Context::create(choice);
  if (!context) return context.error();
  Backends backends;
  backends.cpu = choice != BackendChoice::cuda;
  if (context->backend() == Backend::cuda) backends.cuda.emplace(std::move(*context));
  return backends;
}

}  // namespace kerb::lab
