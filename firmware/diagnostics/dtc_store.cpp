// SPDX-License-Identifier: Apache-2.0
#include "firmware/diagnostics/dtc_store.hpp"

#include "firmware/diagnostics/dtc_file.hpp"

namespace kerb::diagnostics {

Result<std::unique_ptr<DtcStore>> DtcStore::open(const DtcStoreOptions& options) {
  auto writer = ImageWriter<DtcImage>::open(
      {options.interval, options.interval, options.shutdown_limit},
      [path = options.path](const DtcImage& image) { return save_image(path, image); }, {},
      "trouble codes: start their thread");
  if (!writer) return writer.error();
  return std::unique_ptr<DtcStore>{new DtcStore{std::move(*writer)}};
}

}  // namespace kerb::diagnostics
