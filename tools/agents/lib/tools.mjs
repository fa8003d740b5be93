// The tools that there are (specification, What the service does).
export const tools = [
  "list_channels", "get_post", "list_posts", "get_analytics", "create_post", "schedule_post", "publish_post", "unschedule_post", "approve_post", "reject_post", "request_approval",
  "create_media_upload", "complete_media_upload", "list_link_pages", "get_link_page", "add_link_block", "update_link_block", "publish_link_page",
];
