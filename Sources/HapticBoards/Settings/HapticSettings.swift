// HapticSettings: the user's preferences for haptic output, which apply to all programs.

import Foundation
import JSONText
import SerialPorts

/// The user's settings. Programs play regardless of the settings, and the board applies the
/// settings to its output.
///
/// The settings are read from a JSON file. Every key in the file is optional. `bridge settings`
/// shows the file, and changes it like ``change(in:_:)``:
///
///     { "haptics": true, "gain": 0.7, "quiet": "22:00-07:00" }
public struct HapticSettings: Sendable, Hashable {
    /// True if haptics are on. True by default.
    public var isOn = true
    /// The gain for all haptic output, 0...1; 1 by default.
    public var gain = 1.0
    /// The hours of each day in which haptics are muted; nil, which is the default, if there are no
    /// such hours.
    public var quietHours: QuietHours?
    /// The additional latency of the sound device beyond the latency that the device reports,
    /// within ``audioDelays``. 0 by default; wireless headphones need a few tenths of a second.
    public var audioDelay = Duration.zero

    /// The range of ``audioDelay``.
    public static let audioDelays = Duration.seconds(-1)...(.seconds(1))

    /// Creates the default settings.
    public init() {}

    /// The error for a file that does not contain valid settings.
    public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        /// The location as `file:line:column`, the problem, and the expected content.
        public var description: String
    }

    /// The path of the user's file: `haptic-bridge/settings.json` in `XDG_CONFIG_HOME`, otherwise
    /// in `~/.config`.
    public static var file: String {
        HostProgram.current.folder("XDG_CONFIG_HOME", or: ".config") + "/settings.json"
    }

    /// The maximum size of the file in bytes. The maximum is small because the file is read while a
    /// board plays.
    private static let sizeMax = 65_536

    /// Reads a file. If the file does not exist, the default settings apply. A link to a missing
    /// file is an error.
    public init(file: String = file) throws(Refusal) {
        guard let bytes = SystemFile.bytes(of: file, limit: Self.sizeMax + 1) else {
            var isFolder: ObjCBool = false
            guard !FileManager.default.fileExists(atPath: file, isDirectory: &isFolder) else {
                throw Refusal(
                    description: isFolder.boolValue
                        ? "\(file): a folder, but a settings file is expected"
                        : "\(file): cannot be read; `ls -l` shows the owner of the file")
            }
            // A link to a missing file is more likely a mistake than a request for the default
            // settings.
            if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: file) {
                throw Refusal(
                    description: "\(file): a link to \(target), which does not exist; "
                        + "a link to a settings file is expected")
            }
            return
        }
        guard bytes.count <= Self.sizeMax else {
            throw Refusal(
                description:
                    "\(file): longer than \(Self.sizeMax) bytes; delete or shorten it")
        }
        do {
            let text = try JSONReader.read(bytes)
            if let repeated = text.diagnostics.first(where: { $0.rule == .duplicateKey }) {
                throw Wrong(location: repeated.location, what: "a key that occurs only once")
            }
            try read(text.value)
        } catch let error as JSONError {
            throw Refusal(description: "\(file):\(error.location): \(error.message)")
        } catch let wrong as Wrong {
            let location = wrong.location.map { "\(file):\($0)" } ?? file
            throw Refusal(
                description: "\(location): \(wrong.what) is expected, for example "
                    + #"{ "haptics": true, "gain": 0.7 }"#
                    + (wrong.near.map { #"; did you mean "\#($0)"?"# } ?? ""))
        } catch {
            throw Refusal(description: "\(file): \(error)")
        }
    }

    private struct Wrong: Error {
        var location: SourceLocation?
        var what: String
        /// The known key that an unknown key was probably meant to be.
        var near: String?
    }

    private static let keys = ["haptics", "gain", "quiet", "audioDelay"]

    private mutating func read(_ json: JSONValue) throws {
        guard case .object(let object) = json.kind else {
            throw Wrong(location: json.location, what: "an object")
        }
        for member in object.members {
            switch (member.key, member.value.kind) {
            case ("haptics", .bool(let isOn)): self.isOn = isOn
            case ("haptics", _): throw Wrong(location: member.value.location, what: "true or false")
            case ("gain", .number(let text)):
                guard let gain = Double(text), 0...1 ~= gain else { fallthrough }
                self.gain = gain
            case ("gain", _):
                throw Wrong(location: member.value.location, what: "a number from 0 to 1")
            case ("quiet", .string(let text)):
                guard let hours = QuietHours(text) else { fallthrough }
                quietHours = hours
            case ("quiet", _):
                throw Wrong(
                    location: member.value.location, what: #"quiet hours like "22:00-07:00""#)
            case ("audioDelay", .number(let text)):
                guard let delay = Double(text), -1...1 ~= delay else { fallthrough }
                audioDelay = .seconds(delay)
            case ("audioDelay", _):
                throw Wrong(
                    location: member.value.location, what: "a number of seconds from -1 to 1")
            default:
                throw Wrong(
                    location: member.keyLocation,
                    what: #""haptics", "gain", "quiet" or "audioDelay""#,
                    near: nearestName(to: member.key, among: Self.keys))
            }
        }
    }
}
