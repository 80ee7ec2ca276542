// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace kerb::train {

/// Numbers, texts and tables of plain data as bytes, for checkpoints: in this machine's byte order,
/// since a training is resumed on the same machine.
class ByteWriter {
 public:
  template <typename T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    append(&value, sizeof value);
  }
  void put(const std::string& text) {
    put(std::uint64_t{text.size()});
    append(text.data(), text.size());
  }
  template <typename T>
  void put(const std::vector<T>& table) {
    static_assert(std::is_trivially_copyable_v<T>);
    put(std::uint64_t{table.size()});
    append(table.data(), table.size() * sizeof(T));
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const noexcept { return bytes_; }

 private:
  void append(const void* data, std::size_t size) {
    if (size == 0) return;
    const std::size_t end = bytes_.size();
    bytes_.resize(end + size);
    std::memcpy(bytes_.data() + end, data, size);
  }
  std::vector<std::byte> bytes_;
};

/// The inverse. After the first thing that is not there, all are empty and ok() is false.
class ByteReader {
 public:
  explicit ByteReader(const std::vector<std::byte>& bytes) : bytes_{bytes} {}
  template <typename T>
  void get(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    value = T{};
    if (has(sizeof value)) take(&value, sizeof value);
  }
  void get(std::string& text) {
    std::uint64_t size = 0;
    get(size);
    text.clear();
    if (!has(size)) return;
    text.resize(size);
    take(text.data(), size);
  }
  template <typename T>
  void get(std::vector<T>& table) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::uint64_t size = 0;
    get(size);
    table.clear();
    if (size > bytes_.size() || !has(size * sizeof(T))) {
      ok_ = false;
      return;
    }
    table.resize(size);
    take(table.data(), size * sizeof(T));
  }
  /// Whether all that was asked for was there.
  [[nodiscard]] bool ok() const noexcept { return ok_; }
  [[nodiscard]] bool at_end() const noexcept { return ok_ && at_ == bytes_.size(); }

 private:
  bool has(std::uint64_t size) {
    if (!ok_ || size > bytes_.size() - at_) ok_ = false;
    return ok_;
  }
  void take(void* to, std::size_t size) {
    if (size > 0) std::memcpy(to, bytes_.data() + at_, size);
    at_ += size;
  }
  const std::vector<std::byte>& bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace kerb::train
