//===- Signatures.cpp - What libdevice functions take and give ------------===//
//
// All functions of libdevice that compute values of 32 and 64 bits from such.
// Those that write to memory are unknown.
//
//===----------------------------------------------------------------------===//

#include "LibraryFunctions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

struct Signature {
  /// The letter of the result, then those of the operands: `f` and `d` are f32
  /// and f64, `i` and `l` are i32 and i64.
  StringRef letters;
  StringRef names;
};

} // namespace

static constexpr Signature kSignatures[] = {
    {"dd", "acos acosh asin asinh atan atanh cbrt ceil cos cosh cospi "
           "cyl_bessel_i0 cyl_bessel_i1 drcp_rd drcp_rn drcp_ru drcp_rz "
           "dsqrt_rd dsqrt_rn dsqrt_ru dsqrt_rz erf erfc erfcinv erfcx "
           "erfinv exp exp10 exp2 expm1 fabs floor j0 j1 lgamma log log10 "
           "log1p log2 logb nearbyint normcdf normcdfinv rcbrt rcp64h rint "
           "round rsqrt sin sinh sinpi sqrt tan tanh tgamma trunc y0 y1"},
    {"fd", "double2float_rd double2float_rn double2float_ru "
           "double2float_rz"},
    {"id", "double2hiint double2int_rd double2int_rn double2int_ru "
           "double2int_rz double2loint double2uint_rd double2uint_rn "
           "double2uint_ru double2uint_rz ilogb isfinited isinfd isnand "
           "signbitd"},
    {"ld", "double2ll_rd double2ll_rn double2ll_ru double2ll_rz "
           "double2ull_rd double2ull_rn double2ull_ru double2ull_rz "
           "double_as_longlong llrint llround"},
    {"ff", "acosf acoshf asinf asinhf atanf atanhf cbrtf ceilf cosf coshf "
           "cospif cyl_bessel_i0f cyl_bessel_i1f erfcf erfcinvf erfcxf "
           "erff erfinvf exp10f exp2f expf expm1f fabsf fast_cosf "
           "fast_exp10f fast_expf fast_log10f fast_log2f fast_logf "
           "fast_sinf fast_tanf floorf frcp_rd frcp_rn frcp_ru frcp_rz "
           "frsqrt_rn fsqrt_rd fsqrt_rn fsqrt_ru fsqrt_rz j0f j1f lgammaf "
           "log10f log1pf log2f logbf logf nearbyintf normcdff normcdfinvf "
           "rcbrtf rintf roundf rsqrtf saturatef sinf sinhf sinpif sqrtf "
           "tanf tanhf tgammaf truncf y0f y1f"},
    {"if", "finitef float2int_rd float2int_rn float2int_ru float2int_rz "
           "float2uint_rd float2uint_rn float2uint_ru float2uint_rz "
           "float_as_int float_as_uint ilogbf isinff isnanf signbitf"},
    {"lf", "float2ll_rd float2ll_rn float2ll_ru float2ll_rz float2ull_rd "
           "float2ull_rn float2ull_ru float2ull_rz llrintf llroundf"},
    {"di", "int2double_rn uint2double_rn"},
    {"fi", "int2float_rd int2float_rn int2float_ru int2float_rz "
           "int_as_float uint2float_rd uint2float_rn uint2float_ru "
           "uint2float_rz uint_as_float"},
    {"ii", "abs brev clz ffs popc"},
    {"dl", "ll2double_rd ll2double_rn ll2double_ru ll2double_rz "
           "longlong_as_double ull2double_rd ull2double_rn ull2double_ru "
           "ull2double_rz"},
    {"fl", "ll2float_rd ll2float_rn ll2float_ru ll2float_rz ull2float_rd "
           "ull2float_rn ull2float_ru ull2float_rz"},
    {"il", "clzll ffsll popcll"},
    {"ll", "brevll llabs"},
    {"ddd", "atan2 copysign dadd_rd dadd_rn dadd_ru dadd_rz ddiv_rd ddiv_rn "
            "ddiv_ru ddiv_rz dmul_rd dmul_rn dmul_ru dmul_rz dsub_rd "
            "dsub_rn dsub_ru dsub_rz fdim fmax fmin fmod hypot nextafter "
            "pow remainder rhypot"},
    {"ddi", "ldexp powi scalbn"},
    {"fff", "atan2f copysignf fadd_rd fadd_rn fadd_ru fadd_rz fast_fdividef "
            "fast_powf fdimf fdiv_rd fdiv_rn fdiv_ru fdiv_rz fmaxf fminf "
            "fmodf fmul_rd fmul_rn fmul_ru fmul_rz fsub_rd fsub_rn fsub_ru "
            "fsub_rz hypotf nextafterf powf remainderf rhypotf"},
    {"ffi", "ldexpf powif scalbnf"},
    {"did", "jn yn"},
    {"fif", "jnf ynf"},
    {"dii", "hiloint2double"},
    {"iii", "hadd max min mul24 mulhi rhadd uhadd umax umin umul24 umulhi "
            "urhadd"},
    {"lll", "llmax llmin mul64hi ullmax ullmin umul64hi"},
    {"dddd", "fma fma_rd fma_rn fma_ru fma_rz norm3d rnorm3d"},
    {"ffff", "fmaf fmaf_ieee_rd fmaf_ieee_rn fmaf_ieee_ru fmaf_ieee_rz "
             "fmaf_rd fmaf_rn fmaf_ru fmaf_rz norm3df rnorm3df"},
    {"iiii", "byte_perm sad usad"},
    {"ddddd", "norm4d rnorm4d"},
    {"fffff", "norm4df rnorm4df"},
};

/// The letters of a function; empty if there is none of this name.
static StringRef findLetters(StringRef name) {
  static const llvm::StringMap<StringRef> letters = [] {
    llvm::StringMap<StringRef> result;
    for (const Signature &signature : kSignatures)
      for (StringRef name : llvm::split(signature.names, ' '))
        result[name] = signature.letters;
    return result;
  }();
  return letters.lookup(name);
}

static Type typeOf(char letter, MLIRContext *context) {
  Builder builder(context);
  switch (letter) {
  case 'f':
    return builder.getF32Type();
  case 'd':
    return builder.getF64Type();
  case 'i':
    return builder.getI32Type();
  default:
    return builder.getI64Type();
  }
}

FunctionType triton_shared::findLibrarySignature(StringRef symbol,
                                                 MLIRContext *context) {
  StringRef name = symbol;
  if (!name.consume_front("__nv_"))
    return nullptr;
  StringRef letters = findLetters(name);
  if (letters.empty())
    return nullptr;
  SmallVector<Type> types;
  for (char letter : letters)
    types.push_back(typeOf(letter, context));
  return FunctionType::get(context, ArrayRef(types).drop_front(),
                           types.front());
}
