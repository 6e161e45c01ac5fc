/**
 * The binary format in which TVM's compiler stores a virtual machine and its shaders, and its runtime reads them:
 *
 *     number, enumeration, DLDataType, DLDevice     its bytes, little-endian
 *     string                                        uint64 length, bytes
 *     sequence                                      uint64 length, elements
 *     map                                           uint64 length, pairs of key and value
 */
#ifndef TVM_SUPPORT_SERIALIZER_H_
#define TVM_SUPPORT_SERIALIZER_H_

#include <dlpack/dlpack.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/string.h>
#include <tvm/support/io.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tvm {
namespace support {

template <typename T>
constexpr bool kIsPlain = std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, DLDataType> ||
                          std::is_same_v<T, DLDevice>;

template <typename T>
struct Serializer<T, std::enable_if_t<kIsPlain<T>>> {
  static constexpr bool enabled = true;
  static void Write(Stream* stream, const T& value) { stream->Write(static_cast<const void*>(&value), sizeof(T)); }
  static bool Read(Stream* stream, T* value) { return stream->Read(static_cast<void*>(value), sizeof(T)) == sizeof(T); }
};

template <>
struct Serializer<std::string> {
  static constexpr bool enabled = true;
  static void Write(Stream* stream, const std::string& value) {
    stream->Write(static_cast<uint64_t>(value.size()));
    stream->Write(static_cast<const void*>(value.data()), value.size());
  }
  static bool Read(Stream* stream, std::string* value) {
    uint64_t size;
    if (!stream->Read(&size)) return false;
    value->resize(static_cast<size_t>(size));
    return stream->Read(static_cast<void*>(value->data()), value->size()) == value->size();
  }
};

template <>
struct Serializer<ffi::String> {
  static constexpr bool enabled = true;
  static void Write(Stream* stream, const ffi::String& value) {
    Serializer<std::string>::Write(stream, std::string(value.data(), value.size()));
  }
  static bool Read(Stream* stream, ffi::String* value) {
    std::string text;
    if (!Serializer<std::string>::Read(stream, &text)) return false;
    *value = ffi::String(std::move(text));
    return true;
  }
};

/** Both kinds of sequences. */
template <typename Sequence, typename T>
struct SequenceSerializer {
  static constexpr bool enabled = true;
  static void Write(Stream* stream, const Sequence& values) {
    stream->Write(static_cast<uint64_t>(values.size()));
    for (const T& value : values) Serializer<T>::Write(stream, value);
  }
  static bool Read(Stream* stream, Sequence* values) {
    uint64_t size;
    if (!stream->Read(&size)) return false;
    *values = Sequence();
    for (uint64_t i = 0; i < size; ++i) {
      T value;
      if (!Serializer<T>::Read(stream, &value)) return false;
      values->push_back(std::move(value));
    }
    return true;
  }
};
template <typename T>
struct Serializer<std::vector<T>> : SequenceSerializer<std::vector<T>, T> {};
template <typename T>
struct Serializer<ffi::Array<T>> : SequenceSerializer<ffi::Array<T>, T> {};

template <typename K, typename V>
void PutEntry(std::unordered_map<K, V>* map, K key, V value) {
  (*map)[std::move(key)] = std::move(value);
}
template <typename K, typename V>
void PutEntry(ffi::Map<K, V>* map, K key, V value) {
  map->Set(std::move(key), std::move(value));
}

template <typename Map, typename K, typename V>
struct MapSerializer {
  static constexpr bool enabled = true;
  static void Write(Stream* stream, const Map& map) {
    stream->Write(static_cast<uint64_t>(map.size()));
    for (const auto& [key, value] : map) {
      Serializer<K>::Write(stream, key);
      Serializer<V>::Write(stream, value);
    }
  }
  static bool Read(Stream* stream, Map* map) {
    uint64_t size;
    if (!stream->Read(&size)) return false;
    *map = Map();
    for (uint64_t i = 0; i < size; ++i) {
      K key;
      V value;
      if (!Serializer<K>::Read(stream, &key) || !Serializer<V>::Read(stream, &value)) return false;
      PutEntry(map, std::move(key), std::move(value));
    }
    return true;
  }
};
template <typename K, typename V>
struct Serializer<std::unordered_map<K, V>> : MapSerializer<std::unordered_map<K, V>, K, V> {};
template <typename K, typename V>
struct Serializer<ffi::Map<K, V>> : MapSerializer<ffi::Map<K, V>, K, V> {};

}  // namespace support
}  // namespace tvm

#endif  // TVM_SUPPORT_SERIALIZER_H_
