// SPDX-License-Identifier: Apache-2.0
#include "firmware/diagnostics/dtc_store.hpp"

#include <cerrno>

#include "firmware/diagnostics/dtc_file.hpp"

namespace kerb::diagnostics {

Result<std::unique_ptr<DtcStore>> DtcStore::open(const DtcStoreOptions& options) {
  const std::string& path = options.path;
  const auto kept =
      std::make_shared<Result<DtcImage>>(Error{Errc::io, ENOMEM, "read the trouble codes"});
  auto writer = ImageWriter<DtcImage>::open(
      {options.interval, options.interval, options.shutdown_limit},
      [path](const DtcImage& image) { return save_image(path, image); },
      [path, kept] { *kept = load_image(path); }, "trouble codes: start their thread");
  if (!writer) return writer.error();
  if (!(*writer)->wait_until_loaded(options.load_limit))
    return Error{Errc::timeout, ETIMEDOUT, "read the trouble codes", std::string_view{path}};
  return std::unique_ptr<DtcStore>{new DtcStore{std::move(*writer), kept}};
}

}  // namespace kerb::diagnostics
