// OSCMap: rules for programs that many people use.

/// Rules that come with the tool.
public enum OSCMap: String, Sendable, CaseIterable {
    case vrchat, reahaptic

    /// The contents of the file.
    public var file: [UInt8] {
        switch self {
        case .vrchat: PackageResources.vrchat_json
        case .reahaptic: PackageResources.reahaptic_json
        }
    }
}
