// AmoebaNet-D: an image network whose cells were found by evolution.
//
// Two kinds of cells. A cell has two inputs, the outputs of the two cells before it, each brought
// to the cell's width; five times it adds two operations on earlier results, and joins some of the
// results. A reduction cell halves the image and doubles the width. Stem, two reductions, then
// three runs of normal cells with reductions between them; images of 224 x 224.
//
// Real et al., Regularized Evolution for Image Classifier Architecture Search, AAAI 2019.
#pragma once

#include <memory>

#include <openvino/core/model.hpp>

namespace berth::zoo {

struct AmoebanetOptions {
  int batch = 1;
  int size = 224;
  int cells = 18;
  int filters = 208;
  int classes = 1000;
  void visit(auto& v) {
    v("batch", batch, "images per run");
    v("size", size, "height and width of the images; a multiple of 32");
    v("cells", cells, "normal cells; a multiple of 3");
    v("filters", filters, "width of the network; a multiple of 8");
    v("classes", classes, "outputs");
  }
};

std::shared_ptr<ov::Model> amoebanet(const AmoebanetOptions& options, bool values);

}  // namespace berth::zoo
