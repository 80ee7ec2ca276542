// SPDX-License-Identifier: Apache-2.0
#include "tools/train/session.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "tools/train/bytes.hpp"
#include "tools/train/observer.hpp"

namespace kerb::train {

Session::Session(const Clock& clock, TrainFiles files, std::string trainer, std::string settings,
                 std::uint64_t data)
    : clock_{clock}, files_{std::move(files)}, start_{clock.now()} {
  checkpoint_.trainer = std::move(trainer);
  checkpoint_.settings = std::move(settings);
  checkpoint_.data = data;
}

Result<std::vector<std::byte>> Session::begin() {
  if (files_.checkpoint.empty()) return std::vector<std::byte>{};
  if (!files_.resume) {
    std::error_code ignored;
    if (std::filesystem::exists(files_.checkpoint, ignored))
      return failure(Errc::invalid_argument,
                     "an unfinished training exists: continue it with --resume, or remove it",
                     files_.checkpoint);
    return std::vector<std::byte>{};
  }
  Result<Checkpoint> loaded = load_checkpoint(files_.checkpoint);
  if (!loaded && loaded.error().code == Errc::not_found) return std::vector<std::byte>{};
  if (!loaded) return loaded.error();
  if (Status ok = check_same(*loaded, checkpoint_.trainer, checkpoint_.settings, checkpoint_.data);
      !ok)
    return ok.error();
  ByteReader in{loaded->state};
  std::vector<std::byte> state;
  in.get(before_);
  in.get(state);
  if (!in.at_end()) return failure(Errc::damaged, "checkpoint: its state", files_.checkpoint);
  checkpoint_.log = std::move(loaded->log);
  return state;
}

void Session::log(const std::string& json) {
  checkpoint_.log += json;
  checkpoint_.log += '\n';
}

Status Session::keep(const std::vector<std::byte>& state) {
  if (!files_.checkpoint.empty()) {
    ByteWriter out;
    out.put(seconds());
    out.put(state);
    checkpoint_.state = out.bytes();
    if (Status ok = save(checkpoint_, files_.checkpoint); !ok) return ok;
  }
  return write_log();
}

Status Session::finish() {
  if (Status ok = write_log(); !ok) return ok;
  if (!files_.checkpoint.empty() && ::unlink(files_.checkpoint.c_str()) != 0 && errno != ENOENT)
    return failure(Errc::io, "remove checkpoint", files_.checkpoint, errno);
  return Done{};
}

double Session::seconds() const {
  return before_ + std::chrono::duration<double>(clock_.now() - start_).count();
}

Status Session::write_log() const {
  if (files_.log.empty()) return Done{};
  return write_whole(files_.log, checkpoint_.log.data(), checkpoint_.log.size());
}

}  // namespace kerb::train
