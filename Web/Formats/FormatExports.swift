// FormatExports: the function that converts files in other formats to AHAP, for the page.

import AHAP
import JSONText
import PatternFormats

/// The AHAP file that the latest call of `convert` has written.
nonisolated(unsafe) private var converted: [UInt8] = []

/// Reads the bytes of a file in any format, and converts its pattern to AHAP. Provides the name of
/// the format and the losses, or the error. An AHAP file is not converted, but a file that is not a
/// pattern, such as a web page, is an error.
@_expose(wasm, "convert") @_cdecl("web_convert")
public func convert(_ bytes: UnsafePointer<UInt8>, _ count: Int32) -> Int32 {
    let bytes = taken(bytes, count)
    Deflate.needed = nil
    defer { Deflate.provided = nil }
    let format = PatternFormats.format(of: bytes)
    if let kind = OtherKind(of: bytes, calling: "FILE") {
        let error = FormatError(kind.name, advice: kind.advice)
        return JSONValue.members(("format", .text(format.name)), ("error", error.json)).give()
    }
    guard format.name != AHAPFormat().name else {
        return JSONValue.members(("format", .text(format.name))).give()
    }
    do throws(FormatError) {
        let read = try PatternFormats.read(bytes)
        converted = try AHAPFormat().write(read.pattern, law: .linear)
        return JSONValue.members(
            ("format", .text(format.name)), ("summary", .text(format.summary)),
            ("remarks", .list(read.losses.prefix(FormatLoss.mostListed).map { $0.json }))
        ).give()
    } catch {
        return JSONValue.members(
            ("format", .text(format.name)), ("error", error.json)
        ).give()
    }
}

/// Provides the compressed file that the latest call of `convert` needed; no bytes if the call
/// needed no file.
@_expose(wasm, "needed") @_cdecl("web_needed")
public func needed() -> Int32 { Deflate.needed?.packed.give() ?? 0 }

/// Returns the decompressed size of the file that the latest call of `convert` needed.
@_expose(wasm, "neededSize") @_cdecl("web_needed_size")
public func neededSize() -> Int32 { Int32(clamping: Deflate.needed?.size ?? 0) }

/// Receives the decompressed contents for the next call of `convert`.
@_expose(wasm, "provide") @_cdecl("web_provide")
public func provide(_ bytes: UnsafePointer<UInt8>, _ count: Int32) {
    Deflate.provided = taken(bytes, count)
}

/// Provides the AHAP file that the latest call of `convert` has written.
@_expose(wasm, "converted") @_cdecl("web_converted")
public func convertedFile() -> Int32 { converted.give() }

extension JSONValue {
    /// Stores the text of the value for the page, and returns its number of bytes.
    fileprivate func give() -> Int32 {
        Array(JSONWriter.text(of: self, layout: .compact).utf8).give()
    }

    /// Creates a remark: an error or a loss, with its location.
    fileprivate static func remark(
        _ severity: String, _ rule: String, at location: FileLocation?, _ message: String,
        advice: String
    ) -> JSONValue {
        let place = location?.sourceLocation
        let offset = location?.byteOffset.map { "byte \($0): " } ?? ""
        return .members(
            ("severity", .text(severity)), ("rule", .text(rule)),
            ("line", place.map { .whole(Int64($0.line)) } ?? JSONValue(.null)),
            ("column", place.map { .whole(Int64($0.column)) } ?? JSONValue(.null)),
            ("message", .text(offset + message)), ("advice", .text(advice)))
    }
}

extension FormatError {
    /// The error, as a value for the page.
    fileprivate var json: JSONValue {
        .remark("error", rule.rawValue, at: location, message, advice: advice)
    }
}

extension FormatLoss {
    /// The maximum number of losses that the page receives.
    fileprivate static let mostListed = 200

    /// The loss, as a value for the page.
    fileprivate var json: JSONValue {
        .remark("warning", "format-loss", at: location, message, advice: verdict.rawValue)
    }
}
