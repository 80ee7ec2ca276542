// SPDX-License-Identifier: Apache-2.0
#include "firmware/records/deciders.hpp"

namespace kerb::records {
namespace {

/// One of each chunk. The names of the fields are those of the kinds of chunks: see name_of().
struct AllChunks {
  const RecordHeader& header;
  const ReplayedEstimator& estimator;
  const ReplayedLogic& logic;
  const track::Senses& senses;
  const risk::PeopleReport& report;
};
void fields(FieldLister& f, const AllChunks& all) {
  const Reports reports{};
  f.structure("Record")("header", all.header);
  f("logic_state", LogicState<const Reports, const ReplayedLogic>{reports, all.logic});
  f("round", Round{})("vehicle", CanFrame{})("marker", Marker{})("people_state", all.estimator);
  f("senses", all.senses)("report", all.report)("picture", PictureHead{});
}

}  // namespace

std::string field_table_of(const Deciders& deciders) {
  RecordHeader header;
  header.settings.cameras.resize(1);
  const auto estimator = deciders.estimator(header.settings.cameras[0]);
  const auto logic = deciders.logic(header.settings);
  const auto senses = std::make_unique<track::Senses>();
  const auto report = std::make_unique<risk::PeopleReport>();
  FieldLister out;
  out(AllChunks{header, *estimator, *logic, *senses, *report});
  return out.text();
}

}  // namespace kerb::records
