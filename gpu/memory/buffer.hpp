// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include "gpu/memory/context.hpp"
#include "gpu/memory/runtime.hpp"

namespace kerb {

/// Owned bytes, freed by the allocator they came from. The untyped part of the buffers below.
/// Move-only.
class MemoryOwner {
 public:
  MemoryOwner() = default;
  static Result<MemoryOwner> create(const MemoryPlan& plan, std::size_t count, std::size_t size);
  MemoryOwner(MemoryOwner&& other) noexcept
      : block_{std::exchange(other.block_, runtime::Block{})} {}
  MemoryOwner& operator=(MemoryOwner&& other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  MemoryOwner(const MemoryOwner&) = delete;
  MemoryOwner& operator=(const MemoryOwner&) = delete;
  ~MemoryOwner() {
    if (block_.base != nullptr) runtime::give_back(block_);
  }
  [[nodiscard]] const runtime::Block& block() const noexcept { return block_; }

 private:
  runtime::Block block_;
};

/// `count` elements in device memory, uninitialised. No operator[]: the CPU cannot access them.
template <typename T>
class DeviceBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  DeviceBuffer() = default;  ///< empty
  /// Fails: device (out of memory), invalid_argument (zero or too large), unsupported (a CPU
  /// context).
  static Result<DeviceBuffer> create(const Context& context, std::size_t count) {
    if (context.backend() != Backend::cuda)
      return Error{Errc::unsupported, 0, "allocate device memory", "the backend is the CPU"};
    Result<MemoryOwner> memory = MemoryOwner::create({Placement::device}, count, sizeof(T));
    if (!memory) return memory.error();
    return DeviceBuffer{std::move(*memory), count};
  }
  [[nodiscard]] T* device_data() const noexcept { return static_cast<T*>(memory_.block().device); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  DeviceBuffer(MemoryOwner memory, std::size_t count) : memory_{std::move(memory)}, size_{count} {}
  MemoryOwner memory_;
  std::size_t size_ = 0;
};

/// `count` elements that the CPU can access, zero at first, placed by the context's policy for
/// `use`.
template <typename T>
class HostBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  HostBuffer() = default;  ///< empty
  /// Fails: device, io (out of memory), invalid_argument (zero, too large, or Use::device_only on
  /// CUDA).
  static Result<HostBuffer> create(const Context& context, Use use, std::size_t count) {
    const MemoryPlan& plan = context.policy().plan(use);
    if (plan.placement == Placement::device)
      return Error{Errc::invalid_argument, 0, "allocate host memory", "for use by kernels only"};
    Result<MemoryOwner> memory = MemoryOwner::create(plan, count, sizeof(T));
    if (!memory) return memory.error();
    return HostBuffer{std::move(*memory), count};
  }
  [[nodiscard]] T* data() const noexcept { return static_cast<T*>(memory_.block().host); }
  /// The same bytes' address for kernels; nullptr when they cannot access them.
  [[nodiscard]] T* device_data() const noexcept { return static_cast<T*>(memory_.block().device); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T& operator[](std::size_t i) const noexcept { return data()[i]; }
  [[nodiscard]] Placement placement() const noexcept { return memory_.block().placement; }

 private:
  HostBuffer(MemoryOwner memory, std::size_t count) : memory_{std::move(memory)}, size_{count} {}
  MemoryOwner memory_;
  std::size_t size_ = 0;
};

/// Queues a copy of `count` elements. The host's side must stay valid until the copy is done.
/// Fails: device.
template <typename T>
Status copy_to_device(StreamRef stream, T* device, const T* host, std::size_t count) {
  const std::size_t n = count * sizeof(T);
  return runtime::copy_rows(stream.get(), runtime::Direction::to_device, device, n, host, n, n, 1);
}
template <typename T>
Status copy_to_host(StreamRef stream, T* host, const T* device, std::size_t count) {
  const std::size_t n = count * sizeof(T);
  return runtime::copy_rows(stream.get(), runtime::Direction::to_host, host, n, device, n, n, 1);
}

/// Elements that both sides use in turn, zero at first: one memory where the policy has one for
/// both, otherwise two with explicit copies. Code that calls to_device() and to_host() at the right
/// places is correct, and as fast as possible, on every device. On the CPU backend: plain memory.
template <typename T>
class DualBuffer {
 public:
  DualBuffer() = default;  ///< empty
  /// Fails: as HostBuffer and DeviceBuffer.
  static Result<DualBuffer> create(const Context& context, Use use, std::size_t count) {
    DualBuffer both;
    Result<HostBuffer<T>> host = HostBuffer<T>::create(context, use, count);
    if (!host) return host.error();
    both.host_ = std::move(*host);
    if (context.policy().plan(use).transfer) {
      Result<DeviceBuffer<T>> device = DeviceBuffer<T>::create(context, count);
      if (!device) return device.error();
      both.twin_ = std::move(*device);
      Status zeroed =
          runtime::fill(context.stream().get(), both.twin_.device_data(), 0, count * sizeof(T));
      if (zeroed) zeroed = wait(context.stream());
      if (!zeroed) return zeroed.error();
    }
    return Result<DualBuffer>{std::move(both)};
  }
  [[nodiscard]] T* host() const noexcept { return host_.data(); }
  /// The address for kernels; nullptr on the CPU backend.
  [[nodiscard]] T* device() const noexcept {
    return has_twin() ? twin_.device_data() : host_.device_data();
  }
  [[nodiscard]] std::size_t size() const noexcept { return host_.size(); }
  [[nodiscard]] bool has_twin() const noexcept { return twin_.size() != 0; }

  /// Makes the host's data visible to kernels: queues a copy, or does nothing where both share one
  /// memory.
  Status to_device(StreamRef stream) const {
    if (!has_twin()) return Done{};
    return copy_to_device(stream, twin_.device_data(), host_.data(), size());
  }
  /// The reverse; the host may read after it has waited for the stream.
  Status to_host(StreamRef stream) const {
    if (!has_twin()) return Done{};
    return copy_to_host(stream, host_.data(), twin_.device_data(), size());
  }

 private:
  HostBuffer<T> host_;
  DeviceBuffer<T> twin_;  // empty when there is one memory for both
};

}  // namespace kerb
