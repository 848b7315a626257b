/** Fields that hold the id of a member, by their names. */
export const MEMBER_FIELDS =
  /(^|_)(assignee|executor|member|owner|reviewer|worker|agent)(_id)?$|^assign(ed)?_to$|^contributors$/;

/** Fields that hold the id of a task, or several. */
export const TASK_FIELDS = /^(depends_on|blocked_by|blocker_id|replacement_id|retry_of|clears)$|task_id$/;
