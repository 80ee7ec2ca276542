// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <utility>

#include "hal/base/result.hpp"

struct CUstream_st;  // CUDA's; opaque

namespace kerb {

/// A borrowed stream: its work is done in order. There is no default stream: nullptr and 0 do not
/// convert.
class StreamRef {
 public:
  explicit StreamRef(CUstream_st* handle) noexcept : handle_{handle} {}
  StreamRef(std::nullptr_t) = delete;
  StreamRef(int) = delete;
  [[nodiscard]] CUstream_st* get() const noexcept { return handle_; }

 private:
  CUstream_st* handle_;
};

/// An owned stream. Move-only; must not be destroyed while a StreamRef to it is in use.
class Stream {
 public:
  /// Fails: device, unsupported (built without CUDA).
  static Result<Stream> create();
  Stream(Stream&& other) noexcept : handle_{std::exchange(other.handle_, nullptr)} {}
  Stream& operator=(Stream&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();

  operator StreamRef() const noexcept { return StreamRef{handle_}; }

 private:
  explicit Stream(CUstream_st* handle) noexcept : handle_{handle} {}
  CUstream_st* handle_;
};

/// Returns when all work queued on the stream so far is done. Fails: device, also for errors of
/// earlier launches on it.
Status wait(StreamRef stream);

}  // namespace kerb
