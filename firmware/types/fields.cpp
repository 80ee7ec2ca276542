// SPDX-License-Identifier: Apache-2.0
#include "firmware/types/fields.hpp"

#include <algorithm>
#include <utility>

namespace kerb {

FieldReader::Place FieldReader::enter(const FieldTable::Struct& in) noexcept {
  return std::exchange(place_, Place{&in, rest_, rest_, 0});
}

void FieldReader::leave(const Place& outer) noexcept {
  for (; ok_ && place_.index < place_.in->fields.size(); ++place_.index)
    if (!table_->skip(table_->type(place_.in->fields[place_.index].type), place_.next, lengths_))
      fail();
  rest_ = place_.next;
  place_ = outer;
}

const FieldTable::Type* FieldReader::seek(const char* name) noexcept {
  if (!ok_ || place_.in == nullptr) {
    fail();
    return nullptr;
  }
  const std::vector<FieldTable::Field>& fields = place_.in->fields;
  // Nearly always it is the next one.
  std::size_t found = place_.index;
  while (found < fields.size() && fields[found].name != name) ++found;
  if (found == fields.size()) {
    found = 0;
    while (found < place_.index && fields[found].name != name) ++found;
    if (found == place_.index) return nullptr;
    place_.index = 0;
    place_.next = place_.begin;
  }
  for (; place_.index < found; ++place_.index)
    if (!table_->skip(table_->type(fields[place_.index].type), place_.next, lengths_)) {
      fail();
      return nullptr;
    }
  rest_ = place_.next;
  return &table_->type(fields[found].type);
}

void FieldReader::pass() noexcept {
  if (!ok_) return;
  place_.next = rest_;
  ++place_.index;
}

FieldLister& FieldLister::structure(const char* name) {
  open_.back().name = name;
  return *this;
}

FieldLister& FieldLister::add(const char* name, const std::string& type) {
  open_.back().fields.append(" ").append(name).append(":").append(type);
  return *this;
}

std::string FieldLister::close() {
  Line line = std::move(open_.back());
  open_.pop_back();
  // Two structs of one name would be two lines: FieldTable refuses that.
  if (std::find(listed_.begin(), listed_.end(), line) == listed_.end()) {
    text_.append(line.name).append(line.fields).append("\n");
    listed_.push_back(line);
  }
  return line.name;
}

const char* FieldLister::number_name(FieldTable::Kind kind) noexcept {
  constexpr const char* kNames[] = {"u8",  "i8",  "u16", "i16", "u32",
                                    "i32", "u64", "i64", "f32", "f64"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace kerb
