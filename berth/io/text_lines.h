// Lines of a text file, with their numbers for messages.
#pragma once

#include "berth/base/fail.h"
#include "berth/base/text.h"

namespace berth {

// Walks through text line by line. A byte order mark and carriage returns are dropped; text that is
// not UTF-8 is an Error.
class TextLines {
 public:
  TextLines(std::string_view text, std::string file);

  // The next line without its end; empty at the end of the text.
  std::optional<std::string_view> next();
  // The next line that is not blank.
  std::optional<std::string_view> next_filled();
  std::size_t number() const { return number_; }  // of the last line given, from 1

  // FILE: line N: <message>
  template <class... Parts>
  [[noreturn]] void fail(fmt::format_string<Parts...> message, Parts&&... parts) const {
    fail_at(number_, message, std::forward<Parts>(parts)...);
  }
  template <class... Parts>
  [[noreturn]] void fail_at(std::size_t line, fmt::format_string<Parts...> message,
                            Parts&&... parts) const {
    berth::fail("{}: line {}: {}", file_, line,
                fmt::format(message, std::forward<Parts>(parts)...));
  }
  // A finite number that is the whole text; `what` names it in the Error.
  double number_in(std::string_view text, std::string_view what) const;
  // The same, from 0 to `most`.
  double number_up_to(double most, std::string_view text, std::string_view what) const;

 private:
  std::string_view rest_;
  std::string file_;
  std::size_t number_ = 0;
  bool ended_ = false;
};

}  // namespace berth
