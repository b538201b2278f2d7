// What would have to be changed in a file's text for a remark to go away.

/// One change of a text, at the place of its remark.
enum Fix: Sendable, Hashable {
    /// These bytes mean nothing.
    case removeBytes(Range<Int>)
    /// Another scalar in the place of this one.
    case replace(String)
    /// The key at the place goes, with its value.
    case removeMember
    /// The innermost object around the place goes, and what holds nothing else.
    case removeOwner
    /// The object at the place gets a member.
    case addMember(AHAPKey, String)
    /// Each member of the object at the place becomes an object of its own.
    case splitEntry
    /// The array around the place is put in order of `Time`.
    case sortPoints
    /// The control points of all curves count from the `Time` of their curve.
    case relativeTimes
}
