// Attention of a decoder step over the states of an encoder.
//
//   additive   score_s = v . tanh(W_q h + W_m m_s)      Bahdanau et al., ICLR 2015
//   product    score_s = h . W_m m_s                    Luong et al., EMNLP 2015
//   context    sum over s of softmax(score)_s m_s
#pragma once

#include <string>
#include <vector>

#include "berth/zoo/network_builder.h"

namespace berth::zoo {

enum class Score { kAdditive, kProduct };

class Attention {
 public:
  // The memory is one [batch, width] per encoder step.
  Attention(NetworkBuilder& net, std::string name, Score score, const std::vector<Value>& memory);

  // [batch, width] for a query [batch, width].
  Value context(const Value& query);

 private:
  Value scores(const std::string& at, const Value& query);

  NetworkBuilder& net_;
  std::string name_;
  Score score_;
  Value memory_, keys_, query_weight_, vector_;
  int calls_ = 0;
};

}  // namespace berth::zoo
