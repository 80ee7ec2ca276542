// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "gpu/memory/buffer.hpp"

namespace kerb::sim {

/// Many small and large arrays that go to a GPU together, for each picture anew: they are put side
/// by side into memory that is pinned, and copied at once. Grows when it must.
class UploadArena {
 public:
  static constexpr std::size_t kAlign = 256;
  /// Room that an array takes.
  template <typename T>
  static constexpr std::size_t room(std::size_t count) noexcept {
    return (count * sizeof(T) + kAlign - 1) / kAlign * kAlign;
  }
  /// Empties it and makes room. What was sent before must have arrived. Fails: device, io.
  Status begin(const Context& context, std::size_t bytes) {
    used_ = 0;
    if (bytes <= bytes_.size()) return Done{};
    bytes_ = {};  // first, for the memory is large
    Result<DualBuffer<unsigned char>> made =
        DualBuffer<unsigned char>::create(context, Use::shared, bytes + bytes / 2);
    if (!made) return made.error();
    bytes_ = std::move(*made);
    return Done{};
  }
  /// Where `count` elements will be on the device; the caller writes them to `host`. There must be
  /// room.
  template <typename T>
  const T* place(std::size_t count, T*& host) noexcept {
    static_assert(std::is_trivially_copyable_v<T>);
    host = reinterpret_cast<T*>(bytes_.host() + used_);
    const T* out = reinterpret_cast<const T*>(bytes_.device() + used_);
    used_ += room<T>(count);
    return out;
  }
  template <typename T>
  const T* put(const T* from, std::size_t count) noexcept {
    T* host = nullptr;
    const T* out = place(count, host);
    if (count != 0) std::memcpy(host, from, count * sizeof(T));
    return out;
  }
  Status send(StreamRef stream) const {
    if (!bytes_.has_twin()) return Done{};
    return copy_to_device(stream, bytes_.device(), bytes_.host(), used_);
  }

 private:
  DualBuffer<unsigned char> bytes_;
  std::size_t used_ = 0;
};

}  // namespace kerb::sim
