// HapticSettings: what the user wants to feel, whatever a program plays.

import AHAP
import Foundation

/// The user's own settings. Programs play as they do; the board makes of it what the settings say.
///
/// They are read from a JSON file, in which both keys may be left out:
///
///     { "haptics": true, "gain": 0.7 }
public struct HapticSettings: Sendable, Hashable {
    /// Whether anything is felt. True at first.
    public var isOn = true
    /// How strong all is, 0...1, of what it would be. 1 at first.
    public var gain = 1.0

    /// Settings that change nothing.
    public init() {}

    /// A file that is not settings.
    public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        /// `file:line:column`, what was found, and what is expected.
        public var description: String
    }

    /// The user's file: `haptic-bridge/settings.json` in `XDG_CONFIG_HOME`, or else in `~/.config`.
    public static var file: String {
        let variables = ProcessInfo.processInfo.environment
        let folder =
            variables["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? (variables["HOME"] ?? "") + "/.config"
        return folder + "/haptic-bridge/settings.json"
    }

    /// Reads a file. One that does not exist changes nothing.
    public init(file: String = file) throws(Refusal) {
        guard let bytes = FileManager.default.contents(atPath: file) else {
            guard !FileManager.default.fileExists(atPath: file) else {
                throw Refusal(description: "\(file): not readable; `ls -l` shows whose it is")
            }
            return
        }
        do {
            try read(JSONReader.read(Array(bytes)).value)
        } catch let error as AHAPError {
            let place = error.place.map { "\(file):\($0)" } ?? file
            throw Refusal(description: "\(place): \(error.message)")
        } catch let wrong as Wrong {
            let place = wrong.place.map { "\(file):\($0)" } ?? file
            throw Refusal(
                description: "\(place): \(wrong.what) is expected, as in "
                    + #"{ "haptics": true, "gain": 0.7 }"#)
        } catch {
            throw Refusal(description: "\(file): \(error)")
        }
    }

    private struct Wrong: Error {
        var place: SourcePlace?
        var what: String
    }

    private mutating func read(_ json: JSONValue) throws {
        guard case .object(let object) = json.kind else {
            throw Wrong(place: json.place, what: "an object")
        }
        for member in object.members {
            switch (member.key, member.value.kind) {
            case ("haptics", .bool(let isOn)): self.isOn = isOn
            case ("haptics", _): throw Wrong(place: member.value.place, what: "true or false")
            case ("gain", .number(let text)):
                guard let gain = Double(text), 0...1 ~= gain else { fallthrough }
                self.gain = gain
            case ("gain", _):
                throw Wrong(place: member.value.place, what: "a number from 0 to 1")
            default:
                throw Wrong(place: member.keyPlace, what: #""haptics" or "gain""#)
            }
        }
    }
}
