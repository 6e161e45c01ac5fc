/**
 * Half-precision conversion for TVM's web runtime: the one header that the apache-tvm wheel lacks. TVM's sort.cc calls the template
 * under the name of LLVM's compiler-rt, and only from half to single precision:
 *
 *     1 sign, 5 exponent (bias 15), 10 fraction bits   ->   1 sign, 8 exponent (bias 127), 23 fraction bits     (IEEE 754-2019, 3.6)
 */
#ifndef PLAYGROUND_BUILTIN_FP16_H_
#define PLAYGROUND_BUILTIN_FP16_H_

#include <cstdint>
#include <cstring>
#include <type_traits>

template <typename Source, typename SourceBits, int kSourceFraction, typename Target, typename TargetBits,
          int kTargetFraction>
inline Target __extendXfYf2__(Source half) {
  static_assert(kSourceFraction == 10 && kTargetFraction == 23 && std::is_same<Target, float>::value,
                "only from half to single precision");
  const uint32_t bits = static_cast<uint16_t>(half);
  const uint32_t sign = (bits & 0x8000u) << 16;
  uint32_t exponent = (bits >> 10) & 0x1fu;
  uint32_t fraction = bits & 0x3ffu;
  uint32_t single;
  if (exponent == 0x1fu) {
    single = sign | 0x7f800000u | (fraction << 13);  // infinity and NaN
  } else if (exponent != 0) {
    single = sign | ((exponent + 112u) << 23) | (fraction << 13);
  } else if (fraction == 0) {
    single = sign;
  } else {
    // A subnormal half is a normal single: shift until its leading one is implicit.
    exponent = 113u;
    while ((fraction & 0x400u) == 0) {
      fraction <<= 1;
      exponent--;
    }
    single = sign | (exponent << 23) | ((fraction & 0x3ffu) << 13);
  }
  float result;
  std::memcpy(&result, &single, sizeof(result));
  return result;
}

#endif  // PLAYGROUND_BUILTIN_FP16_H_
