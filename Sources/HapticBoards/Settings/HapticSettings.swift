// HapticSettings: the user's preferences for what is felt, whatever a program plays.

import Foundation
import JSONText
import SerialPorts

/// The user's own settings. Programs play without regard to them, and the board applies them to
/// what is felt.
///
/// They are read from a JSON file, in which each key may be left out. `bridge settings` shows and
/// changes it, as ``change(in:_:)`` does:
///
///     { "haptics": true, "gain": 0.7, "quiet": "22:00-07:00" }
public struct HapticSettings: Sendable, Hashable {
    /// True if anything is felt. True at first.
    public var isOn = true
    /// The factor by which everything that is felt is weakened, 0...1. 1 at first.
    public var gain = 1.0
    /// The hours of each day in which nothing is felt; nil at first, for none.
    public var quietHours: QuietHours?
    /// The time by which sound is heard later than its device says, within ``audioDelays``. 0 at first;
    /// headphones without a wire need some tenths of a second.
    public var audioDelay = Duration.zero

    /// The delays of sound that can be set.
    public static let audioDelays = Duration.seconds(-1)...(.seconds(1))

    /// Makes settings that change nothing.
    public init() {}

    /// An error that is thrown for a file that does not hold valid settings.
    public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        /// The location as `file:line:column`, what was found, and what is expected.
        public var description: String
    }

    /// The path of the user's file: `haptic-bridge/settings.json` in `XDG_CONFIG_HOME`, or else in
    /// `~/.config`.
    public static var file: String {
        HostProgram.current.folder("XDG_CONFIG_HOME", or: ".config") + "/settings.json"
    }

    /// The size of the largest file that is read, in bytes: it is read while a board plays.
    private static let sizeMax = 65_536

    /// Reads a file. A file that does not exist changes nothing; a link to none is refused.
    public init(file: String = file) throws(Refusal) {
        guard let bytes = SystemFile.bytes(of: file, limit: Self.sizeMax + 1) else {
            var isFolder: ObjCBool = false
            guard !FileManager.default.fileExists(atPath: file, isDirectory: &isFolder) else {
                throw Refusal(
                    description: isFolder.boolValue
                        ? "\(file): a folder, and a file of settings is expected"
                        : "\(file): not readable; `ls -l` shows its owner")
            }
            // A link to a file that does not exist is more likely a mistake than a wish for no settings.
            if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: file) {
                throw Refusal(
                    description: "\(file): a link to \(target), which does not exist; "
                        + "a link to a file of settings is expected")
            }
            return
        }
        guard bytes.count <= Self.sizeMax else {
            throw Refusal(
                description:
                    "\(file): longer than \(Self.sizeMax) bytes; delete it, or write it again")
        }
        do {
            let text = try JSONReader.read(bytes)
            if let repeated = text.diagnostics.first(where: { $0.rule == .duplicateKey }) {
                throw Wrong(location: repeated.location, what: "each key once")
            }
            try read(text.value)
        } catch let error as JSONError {
            throw Refusal(description: "\(file):\(error.location): \(error.message)")
        } catch let wrong as Wrong {
            let location = wrong.location.map { "\(file):\($0)" } ?? file
            throw Refusal(
                description: "\(location): \(wrong.what) is expected, for example "
                    + #"{ "haptics": true, "gain": 0.7 }"#)
        } catch {
            throw Refusal(description: "\(file): \(error)")
        }
    }

    private struct Wrong: Error {
        var location: SourceLocation?
        var what: String
    }

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
                    what: #""haptics", "gain", "quiet" or "audioDelay""#)
            }
        }
    }
}
