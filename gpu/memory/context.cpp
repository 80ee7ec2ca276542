// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory/context.hpp"

#include <exception>

#include "gpu/memory/runtime.hpp"

namespace kerb {

const char* name_of(Backend backend) noexcept { return backend == Backend::cuda ? "cuda" : "cpu"; }

const char* name_of(BackendChoice choice) noexcept {
  constexpr const char* kNames[] = {"auto", "cpu", "cuda"};
  return kNames[static_cast<int>(choice)];
}

bool parse(std::string_view name, BackendChoice& choice) noexcept {
  for (BackendChoice c : {BackendChoice::automatic, BackendChoice::cpu, BackendChoice::cuda})
    if (name == name_of(c)) {
      choice = c;
      return true;
    }
  return false;
}

Result<Stream> Stream::create() {
  Result<CUstream_st*> handle = runtime::make_stream();
  if (!handle) return handle.error();
  return Stream{*handle};
}

Stream::~Stream() {
  if (handle_ != nullptr) runtime::destroy_stream(handle_);
}

Status wait(StreamRef stream) { return runtime::wait(stream.get()); }

Result<Context> Context::create(BackendChoice choice) {
  Context context;
  if (choice == BackendChoice::cpu) return context;

  const auto instead = [&](const Error& error) -> Result<Context> {
    if (choice == BackendChoice::cuda) return error;
    Context cpu;
    cpu.info_.reason.assign(describe(error));
    cpu.info_.fell_back = error.code;
    return cpu;
  };
  Result<runtime::DeviceInfo> device = runtime::open_device();
  if (!device) return instead(device.error());
  Result<Stream> stream = Stream::create();
  if (!stream) return instead(stream.error());

  context.traits_ = device->traits;
  context.policy_ = decide(device->traits);
  context.info_.device = device->name;
  context.info_.compute_capability = 10 * device->major + device->minor;
  context.info_.multiprocessors = device->multiprocessors;
  context.info_.driver_version = device->driver_version;
  context.info_.runtime_version = device->runtime_version;
  context.stream_ = std::move(*stream);
  return context;
}

StreamRef Context::stream() const noexcept {
  if (!stream_) std::terminate();
  return *stream_;
}

}  // namespace kerb
