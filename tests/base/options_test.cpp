#include "berth/base/options.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "berth/base/error.h"

namespace {

enum class Bias { kUniform, kDirichlet };

struct SampleOptions {
  int samples = 2000;
  double share = 0.25;
  bool repair = true;
  std::string start = "heft()";
  Bias bias = Bias::kDirichlet;

  void visit(auto& v) {
    v("samples", samples, "placements to draw");
    v("share", share, "of the budget");
    v("repair", repair, "whether to repair");
    v("start", start, "where to start");
    v("bias", bias, "how to draw");
  }
};

}  // namespace

namespace berth {
template <>
struct OptionNames<Bias> {
  static constexpr std::array<std::pair<const char*, Bias>, 2> values{
      {{"uniform", Bias::kUniform}, {"dirichlet", Bias::kDirichlet}}};
};
}  // namespace berth

using namespace berth;

namespace {

SampleOptions read(const std::string& text) {
  return read_options<SampleOptions>(parse_spec(text));
}

std::string canonical(const std::string& text) { return write_options("sample", read(text)); }

std::string complaint(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a spec is a name with values in brackets") {
  CHECK(parse_spec("heft") == Spec{"heft", {}});
  CHECK(parse_spec("heft()") == Spec{"heft", {}});
  CHECK(parse_spec("a-b(x=1,y=two)") == Spec{"a-b", {{"x", "1"}, {"y", "two"}}});
}

TEST_CASE("a value may be a spec: commas inside brackets do not split") {
  const Spec spec = parse_spec("local-search(start=heft(insertion=false,gap=2),rounds=3)");
  REQUIRE(spec.values.size() == 2);
  CHECK(spec.values[0].second == "heft(insertion=false,gap=2)");
  CHECK(spec.values[1].second == "3");
  CHECK(split_specs("a,b(c=d,e=f(g=h,i=j)),k") ==
        std::vector<std::string>{"a", "b(c=d,e=f(g=h,i=j))", "k"});
}

TEST_CASE("a malformed spec is an error that quotes it") {
  for (const std::string text : {"", "()", "heft(", "heft)", "heft(a)", "heft(a=1", "heft(a=1))",
                                 "heft(=1)", "heft(a=1)b", "heft(a=(1)", "heft(a=1,a=2)"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_spec(text), Error);
  }
}

TEST_CASE("values set the fields they name and leave the others") {
  const SampleOptions options = read("sample(samples=7,bias=uniform,repair=false)");
  CHECK(options.samples == 7);
  CHECK(options.bias == Bias::kUniform);
  CHECK_FALSE(options.repair);
  CHECK(options.share == 0.25);
  CHECK(read("sample(share=1e-3)").share == 1e-3);
  CHECK(read("sample(start=random(samples=3,unit=node))").start == "random(samples=3,unit=node)");
}

TEST_CASE("an unknown key is an error that lists the known ones") {
  const std::string message = complaint("sample(smaples=7)");
  CHECK(mentions(message, "smaples"));
  CHECK(mentions(message, "samples"));
}

TEST_CASE("a value of the wrong kind is an error that says where and what") {
  for (const std::string text :
       {"sample(samples=many)", "sample(samples=1.5)", "sample(samples=)",
        "sample(samples=99999999999999)", "sample(share=nan)", "sample(share=1x)",
        "sample(repair=perhaps)", "sample(bias=gamma)"}) {
    CAPTURE(text);
    CHECK(mentions(complaint(text), "sample("));
  }
  CHECK(mentions(complaint("sample(bias=gamma)"), "dirichlet"));
}

TEST_CASE("the canonical spec has only what differs, in declaration order") {
  CHECK(canonical("sample") == "sample()");
  CHECK(canonical("sample(samples=2000)") == "sample()");
  CHECK(canonical("sample(bias=uniform,samples=7)") == "sample(samples=7,bias=uniform)");
  CHECK(canonical("sample(repair=false)") == "sample(repair=false)");
}

TEST_CASE("canonical specs read back to themselves") {
  for (const char* text : {"sample(share=0.1)", "sample(share=1e-300,samples=-3)",
                           "sample(share=0.30000000000000004)", "sample(start=a(b=c,d=e))"}) {
    const std::string once = canonical(text);
    CHECK(canonical(once) == once);
    CHECK(read(once).share == read(text).share);
  }
}

TEST_CASE("every option is explained with its default") {
  const std::vector<OptionHelp> help = explain_options<SampleOptions>();
  REQUIRE(help.size() == 5);
  CHECK(help[0].key == "samples");
  CHECK(help[0].value == "2000");
  CHECK(help[0].meaning == "placements to draw");
  CHECK(help[2].value == "true");
  CHECK(help[4].value == "dirichlet");
}
