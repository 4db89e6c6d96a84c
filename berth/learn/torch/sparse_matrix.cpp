#include "berth/learn/torch/sparse_matrix.h"

#include <cassert>
#include <utility>
#include <vector>

namespace berth {
namespace {

struct CompressedRows {
  std::vector<std::int64_t> begin, column;
  std::vector<float> weight;

  CompressedRows(std::int64_t rows, std::span<const SparseMatrix::Entry> entries)
      : begin(static_cast<std::size_t>(rows) + 1, 0),
        column(entries.size()),
        weight(entries.size()) {
    for (const SparseMatrix::Entry& entry : entries)
      ++begin[static_cast<std::size_t>(entry.row) + 1];
    for (std::size_t row = 1; row < begin.size(); ++row) begin[row] += begin[row - 1];
    std::vector<std::int64_t> next(begin.begin(), begin.end() - 1);
    for (const SparseMatrix::Entry& entry : entries) {
      const std::size_t at = static_cast<std::size_t>(next[static_cast<std::size_t>(entry.row)]++);
      column[at] = entry.column;
      weight[at] = entry.weight;
    }
  }
  std::int64_t rows() const { return static_cast<std::int64_t>(begin.size()) - 1; }
};

std::vector<SparseMatrix::Entry> transposed(std::span<const SparseMatrix::Entry> entries) {
  std::vector<SparseMatrix::Entry> result(entries.begin(), entries.end());
  for (SparseMatrix::Entry& entry : result) std::swap(entry.row, entry.column);
  return result;
}

template <class Number>
void add_rows(const CompressedRows& matrix, const Number* x, Number* y, std::int64_t width) {
  for (std::int64_t row = 0; row < matrix.rows(); ++row, y += width)
    for (std::int64_t i = matrix.begin[static_cast<std::size_t>(row)];
         i < matrix.begin[static_cast<std::size_t>(row) + 1]; ++i) {
      const Number* from = x + matrix.column[static_cast<std::size_t>(i)] * width;
      const Number weight = static_cast<Number>(matrix.weight[static_cast<std::size_t>(i)]);
      for (std::int64_t k = 0; k < width; ++k) y[k] += weight * from[k];
    }
}

torch::Tensor multiply(const CompressedRows& matrix, const torch::Tensor& given) {
  const torch::Tensor x = given.contiguous();
  std::vector<std::int64_t> shape = x.sizes().vec();
  const std::int64_t columns = shape[shape.size() - 2], width = shape.back();
  shape[shape.size() - 2] = matrix.rows();
  const torch::Tensor y = torch::zeros(shape, x.options());
  const std::int64_t batches = x.dim() == 3 ? x.size(0) : 1;
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "sparse product", [&] {
    const scalar_t* from = x.const_data_ptr<scalar_t>();
    scalar_t* to = y.mutable_data_ptr<scalar_t>();
    for (std::int64_t i = 0; i < batches; ++i)
      add_rows(matrix, from + i * columns * width, to + i * matrix.rows() * width, width);
  });
  return y;
}

struct BothOrders : torch::CustomClassHolder {
  BothOrders(std::int64_t rows, std::int64_t columns, std::span<const SparseMatrix::Entry> entries)
      : forward(rows, entries), backward(columns, transposed(entries)) {}
  CompressedRows forward, backward;
};
using Holder = c10::intrusive_ptr<torch::CustomClassHolder>;  // what autograd can keep

const BothOrders& orders(const Holder& holder) { return static_cast<const BothOrders&>(*holder); }

struct SparseProduct : torch::autograd::Function<SparseProduct> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               const Holder& matrix) {
    context->saved_data["matrix"] = torch::IValue::make_capsule(matrix);
    return multiply(orders(matrix).forward, x);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const Holder matrix = context->saved_data["matrix"].toCapsule();
    return {multiply(orders(matrix).backward, gradients[0]), torch::Tensor()};
  }
};

}  // namespace

SparseMatrix::SparseMatrix(std::int64_t rows, std::int64_t columns, std::span<const Entry> entries)
    : data_(c10::make_intrusive<BothOrders>(rows, columns, entries)) {}

torch::Tensor SparseMatrix::operator()(const torch::Tensor& x) const {
  assert(x.size(-2) == orders(data_).backward.rows());  // else memory outside of x is read
  return SparseProduct::apply(x, data_);
}

}  // namespace berth
