// Changes to the file of the user's settings.

import BridgeLink
import Foundation
import JSONText

extension HapticSettings {
    /// Changes the settings in a file. Running programs apply the change within a second.
    ///
    /// Content that `body` does not change is preserved. A file with an unknown key is rejected.
    /// The file is replaced atomically, so that no program reads an incomplete file. A symbolic
    /// link is preserved. A file that does not exist is created, together with its folder.
    ///
    /// - Parameters:
    ///   - file: the path of the file.
    ///   - body: a closure that changes the settings.
    /// - Returns: the new settings.
    /// - Throws: ``Refusal`` if the file does not contain valid settings, or Foundation's error if
    ///   the file cannot be written.
    @discardableResult
    public static func change(
        in file: String = file, _ body: (inout HapticSettings) -> Void
    ) throws -> HapticSettings {
        let before = try HapticSettings(file: file)
        var settings = before
        body(&settings)
        settings.gain = min(max(settings.gain, 0), 1)
        guard settings != before else { return before }
        let target = URL(fileURLWithPath: file).resolvingSymlinksInPath()
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let text = try JSONWriter.text(of: JSONValue(.object(settings.object(replacing: file))))
        try Data(text.utf8).write(to: target, options: .atomic)
        return settings
    }

    /// Returns the content of the file with these settings. Default values are omitted unless the
    /// file contains the key.
    private func object(replacing file: String) throws -> JSONObject {
        var object = JSONObject()
        if let bytes = FileManager.default.contents(atPath: file),
            case .object(let present) = try JSONReader.read(Array(bytes)).value.kind
        {
            object = present
        }
        object.set("haptics", JSONValue(.bool(isOn)), isNeeded: !isOn)
        object.set("gain", JSONValue(.number(text: "\(gain)")), isNeeded: gain != 1)
        object.set(
            "audioDelay", JSONValue(.number(text: "\(Microseconds(audioDelay).seconds)")),
            isNeeded: audioDelay != .zero)
        object.set("quiet", quietHours.map { JSONValue(.string($0.description)) }, isNeeded: true)
        return object
    }
}

extension JSONObject {
    /// Sets the value of an existing key without moving the key, or adds the key at the end; nil
    /// removes the key.
    fileprivate mutating func set(_ key: String, _ value: JSONValue?, isNeeded: Bool) {
        guard let value else { return members.removeAll { $0.key == key } }
        if let index = members.firstIndex(where: { $0.key == key }) {
            members[index].value = value
        } else if isNeeded {
            members.append(Member(key, value))
        }
    }
}
