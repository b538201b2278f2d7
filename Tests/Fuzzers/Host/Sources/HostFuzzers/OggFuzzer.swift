// Fuzzes the comments of Ogg files. Their reader, OggComments.swift, is a link to the file of the
// module HapticBridgeSound, which does not export it.

@_cdecl("fuzz_host_ogg")
public func fuzzOgg(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Input(bytes, count).bytes
    let value = OggComments.value(of: "ANDROID_HAPTIC", in: input)
    promise(
        value == nil || input.starts(with: OggComments.magic),
        "a file that is not an Ogg file has a comment")
    return 0
}
